/** Every check, in the order of the tables. */
import type { Check } from "./check.ts"
import * as Add from "./checks/add.ts"
import * as Dags from "./checks/dags.ts"
import * as Node from "./checks/node.ts"
import * as Pins from "./checks/pins.ts"
import * as Reading from "./checks/reading.ts"

export const checks: ReadonlyArray<Check> = [
  ...Add.checks,
  ...Reading.checks,
  ...Dags.checks,
  ...Pins.checks,
  ...Node.checks
]
