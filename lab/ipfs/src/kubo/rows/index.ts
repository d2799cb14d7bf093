/** Every row, in the order of the table. */
import type { Row } from "../comparedRow.ts"
import * as Adding from "./addRows.ts"
import * as Dags from "./dagRows.ts"
import * as Gateway from "./gatewayRows.ts"
import * as Pins from "./pinRows.ts"
import * as Reading from "./readingRows.ts"
import * as Requests from "./requestRows.ts"
import * as Walks from "./walkRows.ts"

export const rows: ReadonlyArray<Row> = [
  ...Adding.rows,
  ...Reading.rows,
  ...Dags.rows,
  ...Gateway.rows,
  ...Pins.rows,
  ...Requests.rows,
  ...Walks.rows
]
