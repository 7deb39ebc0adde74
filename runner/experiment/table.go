package experiment

// kind says what a value of an attribute is and how it is checked.
type kind uint8

const (
	kindString     kind = iota // a text that is not empty
	kindName                   // one of attribute.allowed
	kindBool                   // true or false
	kindInteger                // a whole number within attribute.span
	kindNumber                 // a number within attribute.span
	kindDuration               // Go duration text, above zero
	kindURL                    // base URL, normalised
	kindVariable               // the name of an environment variable
	kindFile                   // path of an existing file, relative to the declaring file
	kindPath                   // any path, relative to the declaring file
	kindFiles                  // object: any name → existing file
	kindTexts                  // object: any name → text
	kindStrings                // list of texts
	kindNames                  // list of attribute.allowed, no repeats
	kindReference              // one block of type attribute.of
	kindReferences             // list of blocks of type attribute.of, no repeats
	kindObject                 // object of attribute.fields
	kindJSON                   // any object, kept as canonical JSON
	kindType                   // a type constraint
	kindAny                    // any value
)

// span is an inclusive range of numbers.
type span struct{ min, max float64 }

var (
	anyExact   = &span{-maxExact, maxExact}
	fromZero   = &span{0, maxExact}
	fromOne    = &span{1, maxExact}
	chance     = &span{0, 1}
	upToTwo    = &span{0, 2}
	tokenCount = &span{1, 1 << 30}
)

// attribute is a row of the language table.
type attribute struct {
	name      string
	kind      kind
	of        string      // block type a reference names
	allowed   []string    // names in force
	span      *span       // bounds of a number
	fields    []attribute // members of an object
	def       string      // default, as HCL text; "" = none
	required  bool
	keyed     bool // part of the cache key of the calls it concerns
	effective bool // false: type known, use refused for now
	doc       string
}

// block is a block type of the language.
type block struct {
	name      string
	label     string // what the label names; "" = no label
	inside    string // block type it stands in; "" = top level
	dynamic   bool   // may be written by a dynamic block
	effective bool
	attrs     []attribute
	doc       string
}

// attr finds a row by name.
func (b *block) attr(name string) *attribute {
	for i := range b.attrs {
		if b.attrs[i].name == name {
			return &b.attrs[i]
		}
	}
	return nil
}

// attrNames lists the attributes in table order, for suggestions.
func attrNames(rows []attribute) []string {
	names := make([]string, len(rows))
	for i := range rows {
		names[i] = rows[i].name
	}
	return names
}

// findBlock finds a block type by its name and the block it stands in.
func findBlock(name, inside string) *block {
	for i := range language {
		if language[i].name == name && language[i].inside == inside {
			return &language[i]
		}
	}
	return nil
}

// blockNames lists the block types that stand in inside.
func blockNames(inside string) []string {
	var names []string
	for i := range language {
		if language[i].inside == inside {
			names = append(names, language[i].name)
		}
	}
	return names
}
