/** Faults of nodes whose answers are refuted or not proven. */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import type { RefutedError } from "@plumbline/verdict/RefutedError"

import { UpstreamError } from "../networks/UpstreamError.ts"

/** Maximum length of a check's name in logs and counts. The name can contain a field's name, which a node chooses. */
const MAX_CHECK = 100

/** Returns the fault for a refuted answer. `anchor` is the trusted block that the answer contradicts, as text. */
export const refuted = (
  { check, expected, got }: Pick<RefutedError, "check" | "expected" | "got">,
  anchor?: string
): UpstreamError =>
  new UpstreamError({
    reason: {
      _tag: "Refuted",
      check: printable(check),
      expected,
      got,
      ...(anchor === undefined ? {} : { anchor })
    }
  })

/** Returns the fault for an unproven answer. It is a fault, because another node may have a proof. */
export const unproven = ({ code, data, message }: ErrorObject): UpstreamError =>
  new UpstreamError({ reason: { _tag: "Unproven", code, message, data: data ?? null } })

const printable = (check: string): string => check.slice(0, MAX_CHECK).replaceAll(/[^\u0020-\u007e]/gu, "?")
