/** The handlers of the admin API for the access of a project, and for the history of its keys. */
import type { Project } from "@plumbline/gateway/accounts/Account"
import type { Product } from "@plumbline/gateway/accounts/Product"
import { IPFS_PLACE } from "@plumbline/gateway/GatewayInternals"
import type { UsageFigures } from "@plumbline/gateway/metering/usage/UsageFigures"
import type { Policy } from "@plumbline/gateway/pipeline/AccessPolicy"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as SqlClient from "effect/sql/SqlClient"

import { type AccountDependencies, present } from "./accountHandlers.ts"
import * as AdminApi from "./AdminApi.ts"
import { Caller } from "./adminIdentity.ts"
import type { Access } from "./AdminProject.ts"
import * as EndedKeys from "./endedKeys.ts"
import type { Operations } from "./serviceHandlers.ts"
import { toAdminError } from "./storeFailures.ts"

export const standingGroup = (
  behind: AccountDependencies & {
    readonly figures: UsageFigures["Service"]
    readonly operations: () => Operations
    readonly policy: Policy
    readonly sql: SqlClient.SqlClient
  }
) =>
  HttpApiBuilder.group(AdminApi.Api, "standing", (handlers) => {
    const { accounts, changes, figures, operations, policy, sql } = behind
    const project = (id: string) => present(accounts.project(id), "project", id)

    const access = Effect.fnUntraced(function* (found: Project) {
      const { id, suspended } = found
      const account = yield* present(accounts.account(found.account), "account", found.account)
      const { ipfs = false, networks = Effect.succeed([]) } = operations()
      // The policy decides by project, so a key without content is enough.
      const key = {
        id: "",
        project: id,
        start: "",
        createdAt: 0,
        endsAt: null,
        label: null,
        expiresAt: null,
        limits: {}
      }
      const holder = { account, project: found, key, secretHash: "" }
      const permits = (product: Product) =>
        Effect.match(policy.check(holder, product), { onFailure: () => false, onSuccess: () => true })
      const permitted = { rpc: yield* permits("rpc"), ipfs: yield* permits("ipfs") }
      const listed = new Set(found.allowlist.networks)
      const refused = (product: Product, name: string): Access["places"][number]["refused"] =>
        suspended
          ? "suspended"
          : !permitted[product]
            ? "card"
            : listed.size > 0 && !listed.has(name)
              ? "networks"
              : null
      const all: Access["places"] = (yield* networks).map(({ chainId, hosts, name }) => ({
        name,
        product: "rpc",
        chainId,
        hosts,
        refused: refused("rpc", name)
      }))
      const places: Access["places"] = ipfs
        ? [
            ...all,
            { name: IPFS_PLACE, product: "ipfs", chainId: null, hosts: [], refused: refused("ipfs", IPFS_PLACE) }
          ]
        : all
      const names = new Set(places.map(({ name }) => name))
      const last = suspended
        ? yield* toAdminError(changes.lastOf(id, ["project.suspend", "project.resume"]))
        : undefined
      const rules = yield* toAdminError(accounts.tokens(id))
      const isKnown = last?.action === "project.suspend"
      // the name of an operator can be an address of mail, which is not for the service's customers
      const isNamed = (yield* Caller)?._tag === "Operator"
      const access: Access = {
        card: account.card,
        suspended: suspended ? { by: isKnown && isNamed ? last.by : null, at: isKnown ? last.at : null } : null,
        tokens: rules === undefined ? null : { required: rules.required, keys: rules.keys.length },
        places,
        // A process that serves no networks does not know which names exist.
        unknownNetworks: all.length === 0 ? [] : [...listed].filter((name) => !names.has(name)),
        notices:
          ipfs && account.card && permitted.ipfs && listed.size > 0 && !listed.has(IPFS_PLACE)
            ? [
                `the billing card permits IPFS, and the allowlist of networks refuses it: add "${IPFS_PLACE}" to networks`
              ]
            : []
      }
      return access
    })

    return handlers.handleAll({
      access: ({ params: { id } }) => Effect.flatMap(project(id), access),
      keyHistory: Effect.fnUntraced(function* ({ params: { id } }) {
        yield* project(id)
        const ended = yield* toAdminError(EndedKeys.list(sql, id))
        const lastUses = yield* toAdminError(figures.lastUses(id))
        return {
          ended: ended.map((row) => ({
            id: row.key,
            start: row.start,
            createdAt: row.created_at,
            endedAt: row.ended_at,
            reason: row.reason,
            successor: row.successor
          })),
          lastUses
        }
      })
    })
  })
