/** The states of a screen that reads: while it waits, and when it cannot read. */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Result from "effect/Result"
import { lazy, type ReactNode, Suspense } from "react"

import * as PageSession from "../chain/PageSession.ts"
import * as ReadTransport from "../chain/ReadTransport.ts"
import { Skeleton } from "../look/Skeleton.tsx"
import { StatePanel } from "../look/StatePanel.tsx"
import { setAtom, useAtom } from "../look/useAtom.ts"
import { useReconnect } from "../look/useReconnect.ts"
import { VerdictWord } from "../look/VerdictMark.tsx"
import { KeyForm } from "./KeyForm.tsx"
import { RetryAfterNote } from "./RetryAfterNote.tsx"

const RefusedAnswer = lazy(() => import("./RefusedAnswer.tsx"))

/** An error of a read, with a tag and a sentence. */
export interface ReadFailure {
  readonly _tag: string
  readonly message: string
}

/** A read, and how its value is shown. */
export interface ScreenRead<A, E extends ReadFailure> {
  readonly result: AsyncResult.AsyncResult<A, E>
  /** The thing that is read, such as `block 5`. */
  readonly what: string
  readonly again: () => void
  /** The shape of the screen while it waits. Default: a heading and rows. */
  readonly waiting?: ReactNode
  readonly children: (value: A) => ReactNode
}

/** Shows the value that was read, or the state of the reading. */
export const ReadState = <A, E extends ReadFailure>({ again, children, result, waiting, what }: ScreenRead<A, E>) => {
  if (AsyncResult.isSuccess(result)) return children(result.value)
  if (AsyncResult.isFailure(result)) return <Failed cause={result.cause} what={what} again={again} />
  return waiting ?? <Skeleton says={`Reading ${what}`} />
}

const Failed = ({
  again,
  cause,
  what
}: {
  readonly cause: Cause.Cause<ReadFailure>
  readonly what: string
  readonly again: () => void
}) => {
  const found = Cause.findError(cause)
  const error = Result.isSuccess(found) ? found.success : undefined
  const { retryAfter, said, status } = answerOf(error)
  // a node that lied may be honest again
  useReconnect(isUnreachable(error) || REFUTED.test(said) ? again : undefined)
  if (error?._tag === "NeedsKeyError") return <KeyPanel message={error.message} />
  if (status === 401 || status === 403) return <Unaccepted said={said} again={again} />
  const tryAgain = (
    <button type="button" className="button primary" onClick={again}>
      Try again
    </button>
  )
  if (REFUTED.test(said)) {
    return (
      <Suspense fallback={null}>
        <RefusedAnswer check={said.replace(REFUTED, "")} what={what} again={again} />
      </Suspense>
    )
  }
  const explorer = (
    <a className="button" href="/console/">
      Go to the explorer
    </a>
  )
  if (error?._tag === "NotThereError" || error?._tag === "NoNetworkError") {
    return (
      <StatePanel
        kind="Not found"
        title={error.message}
        text={
          error._tag === "NotThereError" ? (
            <>
              <VerdictWord word="CLAIMED" /> the node's word: nothing proves it.
            </>
          ) : (
            "The address of this page names it."
          )
        }
      >
        {explorer}
        {tryAgain}
      </StatePanel>
    )
  }
  if (error?._tag === "RefutedError") {
    return (
      <StatePanel
        kind="Refuted answer"
        title="No value"
        text={
          <>
            <VerdictWord word="REFUTED" /> {error.message.slice(0, 300)}
          </>
        }
      >
        {tryAgain}
        {explorer}
      </StatePanel>
    )
  }
  if (status === 429) {
    return (
      <StatePanel
        kind="Over a limit"
        title={`There is no answer about ${what} yet`}
        text={
          <>
            The service refuses more calls for now: {said}.{" "}
            {retryAfter === undefined ? null : (
              <>
                The limit ends <RetryAfterNote key={said} seconds={retryAfter} />.{" "}
              </>
            )}
            Nothing is claimed or refuted.
          </>
        }
      >
        {tryAgain}
        {explorer}
      </StatePanel>
    )
  }
  return (
    <StatePanel
      kind="Error"
      title={`There is no answer about ${what}`}
      text={
        <>
          {error === undefined ? "This page made a mistake." : error.message}{" "}
          {retryAfter === undefined ? null : (
            <>
              It answers again <RetryAfterNote seconds={retryAfter} />.{" "}
            </>
          )}
          Nothing is claimed or refuted.
          {isUnreachable(error) ? " The page tries again by itself." : ""}
        </>
      }
    >
      {tryAgain}
      {explorer}
    </StatePanel>
  )
}

/** Returns the HTTP status and the sentence of a refusal, and the seconds after which the page may ask again. */
const answerOf = (error: ReadFailure | undefined) => {
  const { reason } = (error ?? {}) as {
    readonly reason?: {
      readonly status?: number
      readonly said?: string
      readonly message?: string
      readonly retryAfter?: Duration.Duration
    }
  }
  return {
    status: reason?.status,
    said: reason?.said ?? reason?.message ?? "",
    retryAfter: reason?.retryAfter === undefined ? undefined : Math.ceil(Duration.toSeconds(reason.retryAfter))
  }
}

/** The text of a service that proves, about an answer of its node that failed a check. */
const REFUTED = /^refuted: /u

/** True if no answer of the service arrived, so that another try can help without anything that the reader does. */
const isUnreachable = (error: ReadFailure | undefined): boolean => {
  if (error?._tag === "NoServiceError" || error?._tag === "NoAnswer") return true
  const { reason } = (error ?? {}) as { readonly reason?: { readonly _tag?: string; readonly status?: number } }
  return reason?._tag === "TransportError" && reason.status === undefined
}

/** The service does not accept the page's credentials: the key or the session has ended. */
export const Unaccepted = ({ again, said }: { readonly said: string; readonly again: () => void }) => {
  const session = useAtom(ReadTransport.session)
  const preferred = useAtom(ReadTransport.preferred)
  const isSession = session !== undefined && preferred !== "Key" && preferred !== "Loopback"
  if (!isSession) return <KeyPanel message={`The service does not accept this key${said === "" ? "" : `: ${said}`}`} />
  return (
    <StatePanel
      kind="The session has ended"
      title="Sign in again"
      text={`The service does not accept your session${said === "" ? "" : `: ${said}`}. Nothing is claimed or refuted.`}
    >
      <button type="button" className="button primary" onClick={() => setAtom(ReadTransport.session, undefined)}>
        Read without it
      </button>
      <button type="button" className="button" onClick={again}>
        Try again
      </button>
    </StatePanel>
  )
}

/** A field for an API key, which stays in the memory of this page. */
const KeyPanel = ({ message }: { readonly message: string }) => {
  const isSet = useAtom(PageSession.key) !== undefined
  return (
    <StatePanel
      kind="A key is needed"
      title={message}
      text={
        isSet
          ? "It may have ended, been revoked, or not be for this network. Enter another one."
          : "It stays in the memory of this page: it never enters an address, a storage or a log, and is gone after a reload."
      }
    >
      <KeyForm submit="Use it" onKey={(key) => setAtom(PageSession.key, PageSession.redacted(key))} />
    </StatePanel>
  )
}
