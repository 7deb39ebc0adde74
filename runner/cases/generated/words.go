package generated

import (
	"strconv"
	"strings"
)

// vocabulary is plain working English; none of it is a label of a case.
var vocabulary = strings.Fields(`
able about above account across act add address after again agree air all allow along among amount answer any apply area arrive ask
back bag bank base basket bay bed before begin belt bench bill bin block board boat body book boot border both bottle bowl box branch
bread bridge bright bring broad brush bucket build bundle bus button buy cable cake card care carry carton cart case catch cause centre
chain chair change chart check child choose city class clerk climb clock close cloth cloud coat coffee cold colour column come common
copy corner cost count country course court cover crane crate crew crop cross crowd cup current curve cut daily dark date day deal deck
deep depot desk detail differ dinner dock door double down draw drive driver drop dry during dust each early earth easy edge eight empty
end engine engineer enough enter even evening every exact extra eye face fact fall farm fast feed fence few field file fill find finish
fire first fit five fix flag flat floor flow fold follow food foot force form forward four frame free fresh friday front fruit full gap
garden gate gather general give glass goods grain grand grass great green grey ground group grow guard guest half hall hand hang happen
hard head hear heat heavy height help high hill hire hold hole home hook horse hour house ice inch inside invoice iron item job join keep
kettle key kind kitchen known label ladder lamp land large last late laundry lead leaf learn leave ledger left length less letter level lid
lift light line list load loan local lock long look lorry loud low lunch machine mail main make manager many map mark market master match
meal measure meet metal middle mile milk mill minute mix monday month morning motor mount move music name narrow near neat need net new
next night nine noon north note notice number nurse oak office oil old one onto open orange order other oven over own pack page paint pair
pallet panel paper park part pass past path pay people phone pick piece pile pipe place plain plan plant plate play plot point pool port post
potato pound power press price print pump push quarter queue quick quiet quite rack rail rain raise range rate reach read ready rear reason
receipt record red refund rent repair reply report rest return ring rise river road roll roof room root rope round route row run rush sack
sale salt sample sand save say scale school screen sea search seat second seed sell send set seven sew shade shape shed sheet shelf shift
ship shop short show side sign silver site six size skin sky slip slow small smooth snow soap soft soil some song sort sound soup south
space spare speak speed spend spring square stack staff stage stair stamp stand start station stay steam steel step stock stone stop store
storm story street strong sugar summer supplier supply table take tall tank tape team ten tent test thick thin third thread three through
ticket tide tile time tin tool top touch tower town track trade train tray tree trip truck tube tuesday turn twelve twenty two unit upper
valve van view visit voice wait walk wall warm wash watch water wave weather wednesday week weight well west wheel white whole wide wind
window winter wire wood wool word work worker yard year yellow young`)

// words appends n words as one sentence: a figure here and there, so that
// texts of different families never agree.
func (g *generator) words(b []byte, n int) []byte {
	for i := range n {
		w := vocabulary[g.rng.IntN(len(vocabulary))]
		switch {
		case i == 0:
			b = append(b, w[0]-'a'+'A')
			b = append(b, w[1:]...)
			continue
		case i%13 == 7:
			b = append(b, ' ')
			b = strconv.AppendInt(b, int64(g.rng.IntN(9000)+100), 10)
			continue
		case i%9 == 5:
			b = append(b, ',')
		}
		b = append(b, ' ')
		b = append(b, w...)
	}
	return append(b, '.')
}

func (g *generator) sentence(n int) string { return string(g.words(nil, n)) }

// text is n words in sentences of 8 to 16.
func (g *generator) text(n int) string {
	b := make([]byte, 0, n*7)
	for n > 0 {
		k := min(n, 8+g.rng.IntN(9))
		if n-k < 4 {
			k = n
		}
		if len(b) > 0 {
			b = append(b, ' ')
		}
		b = g.words(b, k)
		n -= k
	}
	return string(b)
}
