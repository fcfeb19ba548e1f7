// What only the setup asks.

import { postPlain } from "./api.js";

const CHECK_MS = 90_000;

/** `{ starts, login: { known, how }, problems }` of a driver's program, which is started for it. */
export const checkProgram = (driver) => postPlain("/api/setup/check", { driver }, CHECK_MS);
