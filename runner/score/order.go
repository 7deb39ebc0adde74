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
// learned_poisoned prediction; whether it is more than chance is tested by
// family.
func orderMeans(rows []*Row, f *families, resampled *resampling) []Mean {
	null, excess := shares{name: OrderNull}, shares{name: OrderExcess}
	planned, paired := false, false
	for i, r := range rows {
		if !r.Separable || len(r.Orders) == 0 {
			continue
		}
		planned = true
		hits, orders := poisonedOrders(r)
		null.add(f.of[i], 0, hits, orders, len(r.Orders))
		p, has := r.Predictions[learnedPoisoned]
		if !has {
			continue
		}
		paired = true
		above := 0
		switch v := judge(p, r.YPoisoned); {
		case v == missing:
			excess.lost++
			continue
		case v == hit && orders > 0:
			above = 1
		}
		excess.add(f.of[i], above, -hits, orders, len(r.Orders))
	}
	list := []Mean{}
	if planned {
		list = append(list, null.mean())
	}
	if paired {
		list = append(list, excess.mean())
	}
	for i, s := range []*shares{&null, &excess}[:len(list)] {
		share := s.byFamily(len(f.ids))
		resampled.want(&share, list[i].Clustered.set)
		if s == &excess && s.items > 0 {
			resampled.flip(share.num, &list[i].SignFlip)
		}
	}
	return list
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
	list         []fraction
}

// fraction is one item's share.
type fraction struct {
	family                        int32
	above, numerator, denominator int
}

func (s *shares) add(family int32, above, numerator, denominator, planned int) {
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
	s.above += above
	s.sums[denominator] += numerator
	s.list = append(s.list, fraction{family, above, numerator, denominator})
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

// byFamily counts the shares in units that divide all of them, so that sums of
// families are whole numbers. Where such a unit would be too small, a share is
// rounded to the nearest one.
func (s *shares) byFamily(families int) (sum byFamily) {
	const smallest = 1 << 32
	units := 1
	for d, n := range s.sums {
		if n != 0 {
			units = min(units/gcd(units, d)*d, smallest)
		}
	}
	for _, f := range s.list {
		// ⌊x + ½⌋ in integers
		part := floor(2*f.numerator*units+f.denominator, 2*f.denominator)
		sum.add(f.family, families, int64(f.above*units+part), int64(units))
	}
	return sum
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// floor is ⌊a / b⌋ for b > 0.
func floor(a, b int) int {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}
