package score

// orderSensitivity: a hit is two orders with different letters. An order
// without a letter never makes an item sensitive: such an item stands under
// the reason, unless two letters differ anyway.
func orderSensitivity(r *Row, emit func(verdict)) bool {
	if !r.Separable || len(r.Orders) < 2 {
		return false
	}
	first, differ, without, lost := "", false, hit, false
	for _, p := range r.Orders {
		switch got, v := read(p); {
		case v == missing:
			lost = true
		case v != hit:
			if without == hit {
				without = v
			}
		case first == "":
			first = got
		case got != first:
			differ = true
		}
	}
	switch {
	case lost:
		emit(missing)
	case differ:
		emit(hit)
	case without != hit:
		emit(without)
	default:
		emit(other)
	}
	return true
}

// orderMeans yields the order null and the excess over it, nothing without
// random orders. A lost order leaves its item's share; an item with all
// orders lost leaves the mean. An order without a letter did not give
// y_poisoned and stays. The excess is paired: items that also have their
// learned_poisoned prediction.
func orderMeans(rows []*Row) []Mean {
	null, excess := shares{name: OrderNull}, shares{name: OrderExcess}
	planned, paired := false, false
	for _, r := range rows {
		if !r.Separable || len(r.Orders) == 0 {
			continue
		}
		planned = true
		hits, orders := poisonedOrders(r)
		null.add(hits, orders, len(r.Orders))
		p, has := r.Predictions[learnedPoisoned]
		if !has {
			continue
		}
		paired = true
		switch v := judge(p, r.YPoisoned); {
		case v == missing:
			excess.lost++
			continue
		case v == hit && orders > 0:
			excess.above++
		}
		excess.add(-hits, orders, len(r.Orders))
	}
	switch {
	case !planned:
		return []Mean{}
	case !paired:
		return []Mean{null.mean()}
	}
	return []Mean{null.mean(), excess.mean()}
}

// poisonedOrders counts the orders that gave y_poisoned and those not lost.
func poisonedOrders(r *Row) (hits, orders int) {
	for _, p := range r.Orders {
		switch judge(p, r.YPoisoned) {
		case missing:
			continue
		case hit:
			hits++
		}
		orders++
	}
	return hits, orders
}

// shares averages fractions. It sums integers by denominator, so the result
// does not depend on the order of the rows.
type shares struct {
	name         string
	sums         []int // numerators by denominator
	above        int   // whole units on top
	items, lost  int
	orders, gone int
}

func (s *shares) add(numerator, denominator, planned int) {
	s.orders += denominator
	s.gone += planned - denominator
	if denominator == 0 {
		s.lost++
		return
	}
	for len(s.sums) <= denominator {
		s.sums = append(s.sums, 0)
	}
	s.items++
	s.sums[denominator] += numerator
}

func (s *shares) mean() Mean {
	m := Mean{Name: s.name, Items: s.items, Missing: s.lost, Orders: s.orders, OrdersMissing: s.gone}
	if s.items == 0 {
		return m
	}
	total := float64(s.above)
	for d, n := range s.sums {
		if n != 0 {
			total += float64(n) / float64(d)
		}
	}
	total /= float64(s.items)
	m.Value = &total
	return m
}
