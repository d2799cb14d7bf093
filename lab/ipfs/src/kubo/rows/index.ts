/** Every row, in the order of the table. */
import type { Row } from "../row.ts"
import * as Adding from "./adding.ts"
import * as Dags from "./dags.ts"
import * as Gateway from "./gateway.ts"
import * as Pins from "./pins.ts"
import * as Reading from "./reading.ts"
import * as Requests from "./requests.ts"
import * as Walks from "./walks.ts"

export const rows: ReadonlyArray<Row> = [
  ...Adding.rows,
  ...Reading.rows,
  ...Dags.rows,
  ...Gateway.rows,
  ...Pins.rows,
  ...Requests.rows,
  ...Walks.rows
]
