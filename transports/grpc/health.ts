import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import { HealthImplementation, service } from "grpc-health-check";

export interface Health {
  readonly definition: typeof service;
  readonly implementation: UntypedServiceImplementation;
  /** Tells everybody who asks or watches that nothing more is served. */
  readonly stopServing: () => void;
}

/** Of all its methods. They tell no more than whether there is anybody to have a token for. */
export const HEALTH_PATHS: readonly string[] = Object.values(service).map(({ path }) => path);

/** grpc.health.v1.Health: "" and each of the services are SERVING from the start (G9). */
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
