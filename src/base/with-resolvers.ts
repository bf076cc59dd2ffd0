/** A promise, and the functions that settle it. */
export interface Resolvers<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (caught: unknown) => void;
}

/** `Promise.withResolvers`, which Node has from version 22. */
export function withResolvers<Value = void>(): Resolvers<Value> {
  let resolve: Resolvers<Value>["resolve"] = () => {};
  let reject: Resolvers<Value>["reject"] = () => {};
  const promise = new Promise<Value>((settle, fail) => {
    resolve = settle;
    reject = fail;
  });
  return { promise, resolve, reject };
}
