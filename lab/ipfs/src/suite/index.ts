/** Every check, in the order of the tables. */
import type { Check } from "./check.ts"
import * as Add from "./checks/addChecks.ts"
import * as Dags from "./checks/dagChecks.ts"
import * as Node from "./checks/nodeChecks.ts"
import * as Pins from "./checks/pinChecks.ts"
import * as Reading from "./checks/readingChecks.ts"

export const checks: ReadonlyArray<Check> = [
  ...Add.checks,
  ...Reading.checks,
  ...Dags.checks,
  ...Pins.checks,
  ...Node.checks
]
