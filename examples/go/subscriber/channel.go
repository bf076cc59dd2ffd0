// The channel to the daemon, and the words for a call that failed. main.go says how to run the listener.

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	"aaepd-examples/aaep"
	"aaepd-examples/gen/aaepv1"
)

// channelFlags are the options of the channel.
type channelFlags struct {
	address   *string
	tokenFile *string
}

func addChannelFlags() channelFlags {
	return channelFlags{
		address:   flag.String("address", "", "unix:/path/to.sock, or 127.0.0.1:PORT"),
		tokenFile: flag.String("token-file", "", "for 127.0.0.1: the file with the daemon's token"),
	}
}

// connect makes the channel. It connects with the first call.
func (flags channelFlags) connect() (*grpc.ClientConn, error) {
	if *flags.address == "" {
		return nil, fmt.Errorf("give --address unix:/path/to.sock or --address 127.0.0.1:PORT")
	}
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		// A stream that is tried again would keep all that it sent in memory, and repeat it.
		grpc.WithDisableRetry(),
		// A connection that has died is noticed, also while nothing is said. The daemon allows a ping every 10 seconds.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 20 * time.Second, Timeout: 10 * time.Second}),
		// It is on this machine: no proxy of the environment may see it.
		grpc.WithNoProxy(),
	}
	if path, isSocket := strings.CutPrefix(*flags.address, "unix:"); isSocket {
		dial := func(context.Context, string) (net.Conn, error) { return aaep.DialOwn(path) }
		// What gRPC for Go sends by itself; said here for those who go by another resolver.
		options = append(options, grpc.WithContextDialer(dial), grpc.WithAuthority("localhost"))
	}
	if *flags.tokenFile != "" {
		token, err := os.ReadFile(*flags.tokenFile)
		if err != nil {
			return nil, err
		}
		options = append(options, grpc.WithPerRPCCredentials(bearer(strings.TrimSpace(string(token)))))
	}
	return grpc.NewClient(*flags.address, options...)
}

// bearer is the token, sent with each call.
type bearer string

func (token bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(token)}, nil
}

// RequireTransportSecurity is false, because the connection does not leave the machine.
func (bearer) RequireTransportSecurity() bool { return false }

// sentence says what the daemon says of a call that failed.
func sentence(err error) string {
	failed, isStatus := status.FromError(err)
	if !isStatus {
		return err.Error()
	}
	for _, detail := range failed.Details() {
		if fault, ok := detail.(*aaepv1.AaepdError); ok {
			return faultSentence(fault)
		}
	}
	if failed.Code() == codes.Unavailable {
		return "There is no daemon there, or it has gone: " + failed.Message()
	}
	return fmt.Sprintf("%s: %s", failed.Code(), failed.Message())
}

// faultSentence is an AaepdError in words.
func faultSentence(fault *aaepv1.AaepdError) string {
	if fault.GetCode() == "shutting_down" {
		return "The daemon is shutting down. Connect again when it is back."
	}
	about := fault.GetCode()
	if fault.GetPointer() != "" {
		about += " at " + fault.GetPointer()
	}
	if fault.GetRule() != "" {
		about += ", " + fault.GetRule()
	}
	return fmt.Sprintf("%s (%s)", fault.GetMessage(), about)
}

// endOf is nil for the end of a stream that ended well.
func endOf(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
