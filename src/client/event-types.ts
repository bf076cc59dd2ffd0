// The event types that the clients look for, in both spellings of a type.

export const STARTED = /^(?:aaep:|https:\/\/aaep-protocol\.org\/types\/)agent\.session\.started$/;
export const TERMINAL =
  /^(?:aaep:|https:\/\/aaep-protocol\.org\/types\/)agent\.session\.(?:completed|errored|cancelled)$/;
export const STREAMING = /^(?:aaep:|https:\/\/aaep-protocol\.org\/types\/)agent\.output\.streaming$/;
