/** The hook that runs a change from an event, and tracks whether it is running or has failed. */
import type { AdminClient } from "@plumbline/gateway-admin/api/AdminClient"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { useRef, useState } from "react"

import { registry } from "../look/useAtom.ts"
import type { ReadFailure } from "../parts/ReadState.tsx"
import * as AdminService from "./AdminService.ts"
import * as SignInState from "./SignInState.ts"

/** The changes that one component makes. Only one change runs at a time. */
export interface Work {
  readonly isBusy: boolean
  /** The sentence of the last failure. */
  readonly failed: string | undefined
  /** Shows a sentence as the last failure, in place of a change that cannot be made. */
  readonly fail: (sentence: string) => void
  readonly run: <A>(ask: (client: AdminClient) => Effect.Effect<A, ReadFailure>, then: (value: A) => void) => void
}

/** Returns the work of a component. While one change runs, a second one is ignored. */
export const useWork = (): Work => {
  const [isBusy, setBusy] = useState(false)
  const [failed, setFailed] = useState<string | undefined>(undefined)
  const busy = useRef(false)
  return {
    isBusy,
    failed,
    fail: setFailed,
    run: (ask, then) => {
      if (busy.current) return
      busy.current = true
      setBusy(true)
      setFailed(undefined)
      void Effect.runPromiseExit(AdminService.once(ask, registry.get(SignInState.signInState))).then((exit) => {
        busy.current = false
        setBusy(false)
        if (Exit.isSuccess(exit)) then(exit.value)
        else setFailed(sentenceOf(exit.cause))
      })
    }
  }
}

/** Returns the sentence of a failure, with a capital and a full stop. */
export const sentenceOf = (cause: Cause.Cause<ReadFailure>): string => {
  const found = Cause.findError(cause)
  const text = Result.isSuccess(found) ? found.success.message : "This page made a mistake"
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/u.test(text) ? "" : "."}`
}
