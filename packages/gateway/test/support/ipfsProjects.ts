/** Projects over an IPFS node in memory, and a ledger in a folder that goes with the scope. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import type { IpfsNodeError } from "@plumbline/ipfs-client"
import { Effect, type Scope } from "effect"

import { ApiKeys, IpfsProjects, type IpfsProjectsError, Project } from "../../src/index.ts"
import * as Memory from "./ipfsMemoryNode.ts"

export const folder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "projects-"))),
  (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
)

export const project = (id: string): Project.Project => Project.make({ id, name: id, ...ApiKeys.generate() })

/** The service over a state of the node. `step` is told before and after each change of the node's pins. */
export const open = (
  state: Memory.State,
  dir: string,
  { step, ...options }: Omit<IpfsProjects.Options, "file"> & { readonly step?: (what: string) => void } = {}
): Effect.Effect<IpfsProjects.Projects, IpfsProjectsError.IpfsProjectsError, Scope.Scope> =>
  IpfsProjects.make(Memory.make(state, step), { file: path.join(dir, "pins.sqlite"), ...options })

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

export const messageOf = <A>(effect: Effect.Effect<A, IpfsNodeError.IpfsNodeError>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)
