/** The address of a database, as texts that can be passed to another process. */
import * as Postgres from "@plumbline/gateway/state/Postgres"
import * as Sqlite from "@plumbline/gateway/state/Sqlite"
import type { StateError } from "@plumbline/gateway/state/StateError"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { SqlClient } from "effect/sql/SqlClient"

export const open = ([kind, where]: ReadonlyArray<string>): Layer.Layer<SqlClient, StateError> =>
  kind === "sqlite" ? Sqlite.layer({ file: where! }) : Postgres.layer({ url: Redacted.make(where!), connections: 4 })
