package plan

// Guards is the part of the plan that its guards need: the screens of
// write-time defenses and, in cells for which decided holds, the decisions,
// with everything these wait for. Its items are those of defended cells, with
// what is left of them.
func (p *Plan) Guards(decided func(*Cell) bool) *Plan {
	part := *p
	part.Nodes, part.inputs, part.Items, part.Slots = nil, nil, nil, nil
	need := make([]bool, len(p.Nodes))
	for _, item := range p.Items {
		cell := &p.Cells[item.Cell]
		if cell.Defense == noDefense {
			continue
		}
		item.Alignments = nil
		if !decided(cell) {
			item.Predictions = nil
		}
		for _, pr := range item.Predictions {
			need[pr.Node] = true
		}
		for _, s := range item.Screens {
			if s.Node >= 0 {
				need[s.Node] = true
			}
		}
		part.Items = append(part.Items, item)
	}
	at := part.take(p, need)
	for i := range part.Items {
		part.Items[i].moved(at)
	}
	part.heights()
	return &part
}

// take copies the nodes that are needed, and those that they wait for, and
// returns where each stands now.
func (p *Plan) take(from *Plan, need []bool) []int32 {
	for i := len(need) - 1; i >= 0; i-- {
		for _, in := range from.Inputs(i) {
			if need[i] && !in.Constant() {
				need[in] = true
			}
		}
	}
	at := make([]int32, len(need))
	for i, needed := range need {
		if !needed {
			continue
		}
		n := from.Nodes[i]
		n.first, n.Height = int32(len(p.inputs)), 0
		for _, in := range from.Inputs(i) {
			if !in.Constant() {
				in = Ref(at[in])
			}
			p.inputs = append(p.inputs, in)
		}
		at[i] = int32(len(p.Nodes))
		p.Nodes = append(p.Nodes, n)
	}
	return at
}

// moved names the nodes of an item by where they stand now.
func (item *Item) moved(at []int32) {
	predictions := make([]Prediction, len(item.Predictions))
	for i, pr := range item.Predictions {
		pr.Node = at[pr.Node]
		predictions[i] = pr
	}
	screens := make([]Screened, len(item.Screens))
	for i, s := range item.Screens {
		if s.Node >= 0 {
			s.Node = at[s.Node]
		}
		screens[i] = s
	}
	item.Predictions, item.Screens = predictions, screens
}
