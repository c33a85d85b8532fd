// my-bot: lays what most of its hand can follow, sevens and eights when somebody is about to go out. One JSON message a line.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// Message has the fields this bot reads; all others of docs/reference/protocol.md are passed over.
type Message struct {
	Hello  int
	Ask    string
	Seat   int
	Hand   []string
	Counts []int
	Legal  []string
	Call   map[string]string
	Bye    bool
}

// laid gives the cards an action takes out of the hand: "9H+KH>C" gives 9H and KH, "draw" none.
func laid(action string) []string {
	if end := strings.IndexAny(action, "~>@/!"); end >= 0 {
		action = action[:end]
	}
	cards := strings.Split(action, "+")
	for _, card := range cards {
		if len(card) != 2 || !strings.Contains("23456789TJQKAX", card[:1]) || !strings.Contains("CSHDX", card[1:]) {
			return nil
		}
	}
	return cards
}

// without gives the hand when these cards have left it.
func without(hand []string, cards []string) []string {
	rest := append([]string{}, hand...)
	for _, card := range cards {
		for at := range rest {
			if rest[at] == card {
				rest = append(rest[:at], rest[at+1:]...)
				break
			}
		}
	}
	return rest
}

// inDanger says whether somebody else is about to go out.
func inDanger(message *Message) bool {
	for seat, count := range message.Counts {
		if seat != message.Seat && count > 0 && count <= 2 {
			return true
		}
	}
	return false
}

// value: of several actions that are worth the same the first one in the list is taken.
func value(action string, message *Message) int {
	cards, wish, worth, top := laid(action), byte(0), -100, "  " // draw, take, pass: when nothing can be laid
	if at := strings.IndexByte(action, '>'); at >= 0 {
		wish = action[at+1]
	}
	rest := without(message.Hand, cards)
	if cards != nil {
		top = cards[len(cards)-1]
		worth = 10 * len(cards)
		if wish != 0 && len(rest) > 0 {
			worth -= 5 // keep wild cards for later
		}
		if inDanger(message) && strings.Contains("78", top[:1]) {
			worth += 8
		}
	}
	for _, card := range rest {
		if wish != 0 && card[1] == wish || wish == 0 && (card[1] == top[1] || card[0] == top[0]) {
			worth++
		}
	}
	return worth
}

func choose(message *Message) string {
	best := message.Legal[0]
	for _, action := range message.Legal {
		if value(action, message) > value(best, message) {
			best = action
		}
	}
	return best + message.Call[best] // say Mau where it is owed
}

func main() {
	in, out := bufio.NewReaderSize(os.Stdin, 1<<17), bufio.NewWriter(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		message := Message{}
		if err != nil || json.Unmarshal(line, &message) != nil || message.Bye {
			return
		}
		if message.Hello > 0 {
			fmt.Fprintln(out, `{"ready":"my-bot"}`)
		} else if message.Ask != "" {
			fmt.Fprintln(out, choose(&message))
		}
		if in.Buffered() == 0 { // answer all that came together at once
			out.Flush()
		}
	}
}
