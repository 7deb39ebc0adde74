package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// How often progress is shown: a bar moves, a plain line is a line.
const (
	barEvery  = 200 * time.Millisecond
	lineEvery = 10 * time.Second
)

// progressShow draws a run in progress: a bar on a terminal, lines elsewhere.
type progressShow struct {
	runner *runner
	start  time.Time
	halt   chan struct{}
	ended  sync.WaitGroup
}

func (r *runner) startProgress() *progressShow {
	s := &progressShow{runner: r, start: time.Now(), halt: make(chan struct{})}
	if f, ok := terminal(r.Stderr); ok && r.log.format == "console" {
		s.ended.Go(func() { s.bar(f) })
	} else {
		s.ended.Go(s.lines)
	}
	return s
}

func (s *progressShow) stop() {
	close(s.halt)
	s.ended.Wait()
}

func (s *progressShow) lines() {
	tick := time.NewTicker(lineEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.halt:
			return
		case <-tick.C:
			p := s.runner.got.progress()
			s.runner.log.Info().Int("nodes", p.Nodes).Int("done", p.Done).Int("sent", p.Sent).Int("hits", p.Hits).Int("failed", p.Failed).
				Str("usd", fmt.Sprintf("%.4f", s.runner.stack.budget.Spent())).Msg(s.rate(p))
		}
	}
}

func (s *progressShow) bar(w io.Writer) {
	p := mpb.New(mpb.WithOutput(w), mpb.WithWidth(30), mpb.WithRefreshRate(barEvery))
	bar := p.AddBar(int64(s.runner.got.callers),
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.CountersNoUnit("%d/%d nodes")),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string {
			got := s.runner.got.progress()
			return fmt.Sprintf(" %d sent, %d hits, USD %.2f, %s", got.Sent, got.Hits, s.runner.stack.budget.Spent(), s.rate(got))
		})))
	tick := time.NewTicker(barEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.halt:
			bar.Abort(true)
			p.Wait()
			return
		case <-tick.C:
			bar.SetCurrent(int64(s.runner.got.progress().Done))
		}
	}
}

// rate is the calls a minute so far and the time left at that pace.
func (s *progressShow) rate(p progress) string {
	if trouble := s.runner.store.Trouble(); trouble != nil {
		return fmt.Sprintf("waiting: answers cannot be stored (%v)", trouble)
	}
	elapsed := time.Since(s.start).Seconds()
	if p.Sent+p.Hits+p.Failed == 0 {
		return fmt.Sprintf("no answer yet after %s", seconds(elapsed))
	}
	left := float64(p.Nodes-p.Done) / (float64(p.Done) / elapsed)
	return fmt.Sprintf("%.0f calls/min, about %s left", float64(p.Sent)/elapsed*60, seconds(left))
}
