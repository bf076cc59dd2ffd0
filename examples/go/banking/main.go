// A banking agent that asks before it transfers money. Nothing is really transferred. Run it in the folder of the project, beside `npx --no -- aaepd serve`:
//
//	go run -C examples/go ./banking
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"aaepd-examples/aaep"
)

// A default is never told as somebody's decision.
var whyNot = map[aaep.Declined]string{
	"reply":              "You declined it.",
	"timeout":            "Nobody answered in time.",
	"no_subscriber":      "There was nobody to ask.",
	"subscription_ended": "Nobody who could answer was left.",
	"cancelled":          "The question was taken back.",
	"error":              "The question was refused.",
}

func main() {
	timeout := flag.Int("timeout", 120, "seconds that a person has to answer")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	agent := aaep.Open("banking-agent", "banking-agent", func(err error) { fmt.Fprintln(os.Stderr, err) })
	defer agent.Close()
	agent.Session(ctx, "Transfers 500 dollars to Ada Obi.", func(s *aaep.Session) (string, error) {
		s.Tool("fetch_balance", "Reading your balance.", nil, func() (string, error) {
			return "Your balance is 12,500 dollars.", nil
		})
		told, balance := "Transferred 500 dollars.", "12,000"
		err := s.Tool("transfer_funds", "Transferring 500 dollars.", &aaep.Question{
			Action:      "Transfer 500 dollars to Ada Obi.",
			Consequence: "The money leaves your account at once. 12,000 dollars remain.",
			Timeout:     *timeout,
			Context:     aaep.Members{"amount": 500, "currency": "USD"},
		}, func() (string, error) { return "The transfer is done.", nil })
		if declined := aaep.Declined(""); errors.As(err, &declined) {
			told, balance = whyNot[declined]+" Nothing was transferred.", "still 12,500"
		}
		fmt.Println(told)
		s.Text(fmt.Sprintf("%s Your balance is %s dollars.", told, balance))
		return told, nil
	})
}
