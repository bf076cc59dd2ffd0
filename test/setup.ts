// One seed for all properties, so that a run says the same of the same code; PROPERTY_SEED=random searches anew (`npm run test:search`).
import fc from "fast-check";

const seed = process.env.PROPERTY_SEED ?? "20261121";
if (seed !== "random") fc.configureGlobal({ seed: Number(seed) });
