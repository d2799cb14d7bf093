/** Faults of nodes whose answers are refuted or not proven. */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import type { Refuted } from "@plumbline/verdict/Refuted"

import { UpstreamFault } from "../networks/UpstreamFault.ts"

/** The longest name of a check in logs and counts: a node may send a field of any name. */
const MAX_CHECK = 100

/** Makes the fault of a refuted answer. */
export const refuted = ({ check, expected, got }: Pick<Refuted, "check" | "expected" | "got">): UpstreamFault =>
  new UpstreamFault({ reason: { _tag: "Refuted", check: printable(check), expected, got } })

/** Makes the fault of an answer that is not proven: another node may have a proof. */
export const unproven = ({ code, data, message }: ErrorObject): UpstreamFault =>
  new UpstreamFault({ reason: { _tag: "Unproven", code, message, data: data ?? null } })

const printable = (check: string): string => check.slice(0, MAX_CHECK).replaceAll(/[^\u0020-\u007e]/gu, "?")
