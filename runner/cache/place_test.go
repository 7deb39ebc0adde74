package cache

import (
	"os"
	"path/filepath"
	"testing"
)

// A place where nothing can be made is named before anything is paid for, and
// making a directory in it ends.
func TestPlacesWhereNothingCanBeMade(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(t.TempDir(), "gone", "away"), link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, filepath.Join(link, "below")} {
		if err := (osDisk{}).Writable(path); err == nil {
			t.Errorf("%s: called writable", path)
		}
		if err := (osDisk{}).MkdirAll(path); err == nil {
			t.Errorf("%s: made", path)
		}
	}
	fresh := filepath.Join(t.TempDir(), "a", "b", "c")
	if err := (osDisk{}).Writable(fresh); err != nil {
		t.Error(err)
	}
	if err := (osDisk{}).MkdirAll(fresh); err != nil {
		t.Error(err)
	}
}
