/** How many commands of a project are let through, and what is said to those that are not. */
import type * as IpfsApi from "@plumbline/ipfs-client/IpfsApi"

import type { Project } from "../Account.ts"
import type { Settings } from "../IpfsOptions.ts"

/** The project as the limiter sees a command: with a bucket of its own, in which there are requests, not credits. */
export const limited = (project: Project, { rates }: Settings, name: IpfsApi.Name | undefined): Project => {
  const rate = name !== undefined && WRITES.has(name) ? "writes" : "reads"
  const { [rate]: limit } = rates
  return { ...project, id: `${project.id}:ipfs:${rate}`, limits: { creditsPerSecond: limit, burst: limit } }
}

/** What one command takes of its bucket. */
export const COST = 1

/** Those that Infura lets fewer of through. */
const WRITES: ReadonlySet<IpfsApi.Name> = new Set(["add", "block/put", "dag/put", "pin/add"])
