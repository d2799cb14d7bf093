/** All faults, in the order of the table. */
import type { Family } from "../fault.ts"
import { family as batch } from "./batch.ts"
import { family as body } from "./body.ts"
import { family as connection } from "./connection.ts"
import { family as envelope } from "./envelopeFaults.ts"
import { family as heads } from "./headFaults.ts"
import { family as lie } from "./lieFaults.ts"
import { family as shape } from "./shapeFaults.ts"
import { family as status } from "./status.ts"
import { family as webSocket } from "./webSocket.ts"

export const families: ReadonlyArray<Family> = [shape, lie, envelope, body, status, connection, batch, webSocket, heads]
