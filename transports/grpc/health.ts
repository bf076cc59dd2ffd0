import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import { HealthImplementation, service } from "grpc-health-check";

export interface Health {
  readonly definition: typeof service;
  readonly implementation: UntypedServiceImplementation;
  /** Reports NOT_SERVING to every caller and watcher. */
  readonly stopServing: () => void;
}

/** Paths of all methods of the health service. They reveal only whether the daemon serves. */
export const HEALTH_PATHS: readonly string[] = Object.values(service).map(({ path }) => path);

/** Creates grpc.health.v1.Health: "" and each of the services are SERVING from the start. */
export function createHealth(services: readonly string[]): Health {
  const names = ["", ...services];
  const health = new HealthImplementation(Object.fromEntries(names.map((name) => [name, "SERVING"])));
  let implementation: UntypedServiceImplementation = {};
  health.addToServer({
    addService: (_definition, added) => {
      implementation = added;
    },
  });
  return {
    definition: service,
    implementation,
    stopServing: () => {
      for (const name of names) health.setStatus(name, "NOT_SERVING");
    },
  };
}
