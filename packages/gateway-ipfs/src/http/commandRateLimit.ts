/** Limits the rate of a project's commands, and defines the refusal of a command above the limit. */
import type { Project } from "@plumbline/gateway/accounts/Account"
import type { ProductTerms } from "@plumbline/gateway/GatewayInternals"
import * as HttpRefusal from "@plumbline/gateway/http/HttpRefusal"
import type * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"

import * as IpfsRefusals from "./ipfsRefusals.ts"

/**
 * Returns the project in the form that the limiter needs for a command. The project then has a separate bucket. This
 * bucket has requests instead of credits.
 */
export const limited = (project: Project, name: IpfsApi.CommandName | undefined): Project => {
  const isWrite = name !== undefined && WRITES.has(name)
  const { ipfsReadsPerSecond, ipfsWritesPerSecond } = project.limits
  const limit = isWrite ? ipfsWritesPerSecond : ipfsReadsPerSecond
  const limits = limit === undefined ? {} : { creditsPerSecond: limit, burst: limit }
  return { ...project, id: `${project.id}:ipfs:${isWrite ? "writes" : "reads"}`, limits }
}

/** Returns the project in the form that the limiter needs for the work of commands on blocks, which is reading. */
export const reading = (project: Project): Project => limited(project, undefined)

/** The cost of one command in its bucket. */
export const COST = 1

/** The commands with the lower rate, as at Infura. */
const WRITES: ReadonlySet<IpfsApi.CommandName> = new Set(["add", "block/put", "dag/put", "pin/add"])

/**
 * The terms of refusals: they count as reads and cost no credits. Clients of Kubo do not read JSON-RPC errors, so they
 * get only the text.
 */
export const terms: ProductTerms = {
  product: "ipfs",
  limit: (project) => ({ project: limited(project, undefined), credits: COST }),
  credits: () => 0,
  notListed: IpfsRefusals.notListed,
  exceeded: (status, { message }, headers) => HttpRefusal.make(status, message, headers)
}
