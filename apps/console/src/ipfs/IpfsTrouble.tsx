/** The states of an IPFS screen that cannot show content. Each state says why, and what to do next. */
import { IpfsError } from "@plumbline/ipfs-client/client/IpfsError"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Result from "effect/Result"

import { AccessForm } from "../access/AccessForm.tsx"
import { StatePanel } from "../look/StatePanel.tsx"
import { VerdictWord } from "../look/VerdictMark.tsx"
import { type ReadFailure, type ScreenRead, ReadState } from "../parts/ReadState.tsx"
import { RetryAfterNote } from "../parts/RetryAfterNote.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"

/** A failure in words: a title, a reason and the next step. */
export interface TroubleText {
  readonly kind: string
  readonly title: string
  readonly text: string
  /** True if entering a key, or a different key, may help. */
  readonly wantsKey: boolean
}

/**
 * Explains an error to the reader. A missing card, the allowlist, a suspension and a quota each have their own text.
 */
export const tell = (error: ReadFailure): TroubleText => {
  const { _tag, message } = error
  const reason = error instanceof IpfsError ? error.reason : undefined
  if (_tag === "NeedsAccessError") return { kind: "A key is needed", title: message, text: MEMORY, wantsKey: true }
  if (_tag === "NoIpfsError") {
    return {
      kind: "No IPFS",
      title: message,
      text: "Its configuration says ipfs: { node: none }. Name an embedded node or the URL of a Kubo, and start it again.",
      wantsKey: false
    }
  }
  if (_tag === "CidError") return { kind: "Not a CID", title: "This text is not a CID", text: message, wantsKey: false }
  if (_tag === "NoSuchEntry") {
    return {
      kind: "Not found",
      title: "There is no such name",
      text: `${message}. Every block that could hold the name was checked.`,
      wantsKey: false
    }
  }
  if (reason === undefined)
    return { kind: "Error", title: "There is no content to show", text: message, wantsKey: false }
  const said = reason.message.slice(0, 300)
  if (reason._tag === "TransportError" || reason._tag === "TimeoutError") {
    return {
      kind: "No connection",
      title: "The service did not answer",
      text: `${said}. Check the connection, and try again. Nothing is claimed or refuted.`,
      wantsKey: false
    }
  }
  if (reason._tag === "UnauthorizedError") {
    return {
      kind: "Not accepted",
      title: "The service does not accept this key and secret",
      text: `${said}. ${MEMORY}`,
      wantsKey: true
    }
  }
  if (reason._tag === "ForbiddenError" || reason._tag === "NotAllowedError") {
    const [title, next] = /billing card/u.test(said)
      ? ["The account has no billing card", "Add a card to the account, or use a key of another account."]
      : /suspended/u.test(said)
        ? ["The project is suspended", "Its operator can resume it."]
        : /allowlist|project ID settings/u.test(said)
          ? ["The project's allowlist forbids this", "Change the list on the project's page, or use another key."]
          : ["The service forbids this", "Its operator has switched the command off."]
    return { kind: "Forbidden", title, text: `${said}. ${next}`, wantsKey: true }
  }
  if (reason._tag === "FailedError" && /quota|limit/iu.test(said)) {
    return {
      kind: "Over a limit",
      title: "The project is over a limit",
      text: `${said}. Remove pins, or ask the operator for more.`,
      wantsKey: false
    }
  }
  if (reason._tag === "FailedError" && /not found|could not find|no such|lacks/iu.test(said)) {
    return {
      kind: "Not found",
      title: "The service does not have this content",
      text: `${said}. Nothing is claimed or refuted about it.`,
      wantsKey: false
    }
  }
  return {
    kind: "Error",
    title: "The service gave no content",
    text: `${said}. Nothing is claimed or refuted.`,
    wantsKey: false
  }
}

const MEMORY =
  "Key and secret stay in the memory of this page: they never enter an address, a storage or a log, and are gone after a reload."

/** Shows the content that was read, or the state of the reading. */
export const TroubleAnswer = <A, E extends ReadFailure>(read: ScreenRead<A, E>) => {
  const { again, result } = read
  if (!AsyncResult.isFailure(result) || result.waiting) return <ReadState {...read} />
  const found = Cause.findError(result.cause)
  if (Result.isFailure(found)) return <ReadState {...read} />
  const error = found.success
  if (error._tag === "RefutedError") return <Wrong error={error as unknown as Differing} again={again} />
  const told = tell(error)
  const wait = error instanceof IpfsError ? error.retryAfter : undefined
  const text =
    wait === undefined ? (
      told.text
    ) : (
      <>
        {told.text} It answers again <RetryAfterNote seconds={Duration.toSeconds(wait)} />.
      </>
    )
  return (
    <StatePanel kind={told.kind} title={told.title} text={text}>
      {told.wantsKey ? <AccessForm /> : null}
      <a className={told.wantsKey ? "button" : "button primary"} href={ConsoleRoute.link({ _tag: "Ipfs" }).href}>
        Go to IPFS
      </a>
      <button type="button" className="button" onClick={again}>
        Try again
      </button>
    </StatePanel>
  )
}

/** The error of a refuted answer, with the expected and the received value. */
interface Differing {
  readonly subject?: string
  readonly check: string
  readonly expected: string
  readonly got: string
}

const Wrong = ({ again, error }: { readonly error: Differing; readonly again: () => void }) => (
  <StatePanel
    kind="Refuted block"
    title="The service sent other bytes"
    text={
      <>
        <VerdictWord word="REFUTED" /> Block <span className="whole">{error.subject}</span> must have the {error.check}{" "}
        <span className="whole">{error.expected}</span>. The bytes give <span className="whole">{error.got}</span>. No
        byte of it is shown.
      </>
    }
  >
    <button type="button" className="button primary" onClick={again}>
      Try again
    </button>
    {error.subject === undefined ? null : (
      <a className="button" href={ConsoleRoute.link({ _tag: "Ipfs" }).href}>
        Go to IPFS
      </a>
    )}
  </StatePanel>
)
