/** Where a transport of services listens. */
export type ServiceAddress =
  | { readonly kind: "unix"; readonly path: string }
  /** Loopback only; port 0 takes a free one. */
  | { readonly kind: "tcp"; readonly host: string; readonly port: number };
