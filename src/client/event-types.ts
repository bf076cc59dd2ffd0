// The event types that the clients look for, in both forms that a type may have.

export const STARTED = /^(?:aaep:|https:\/\/aaep-protocol\.org\/types\/)agent\.session\.started$/;
export const TERMINAL =
  /^(?:aaep:|https:\/\/aaep-protocol\.org\/types\/)agent\.session\.(?:completed|errored|cancelled)$/;
export const STREAMING = /^(?:aaep:|https:\/\/aaep-protocol\.org\/types\/)agent\.output\.streaming$/;
