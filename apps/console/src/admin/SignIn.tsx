/** The form to sign in. An operator signs in with the admin token, and a project with its key and secret. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Result from "effect/Result"
import { useEffect, useRef, useState } from "react"

import * as PageSession from "../chain/PageSession.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import * as Router from "../route/Router.ts"
import * as AdminService from "./AdminService.ts"
import { Field, textOf } from "./Fields.tsx"
import * as SessionAccess from "./SessionAccess.ts"
import * as SignInState from "./SignInState.ts"
import { sentenceOf } from "./useWork.ts"

/** The reasons why the form is shown, as sentences. */
const WHY: Readonly<Record<Exclude<SignInState.SignInState, { _tag: "In" | "Unknown" }>["reason"], string>> = {
  new: "Sign in to see this service at work, and to manage its projects.",
  left: "You have signed out. The session has ended in every process of the service.",
  ended: "Your session has ended. Sign in again, and you come back to this page."
}

/**
 * The form. After a failed attempt, the focus stays in the field. After too many, the service
 * answers wrong ones with the time to wait, and still takes the right one.
 */
export const SignIn = ({ reason }: { readonly reason: "new" | "left" | "ended" }) => {
  const start = useAtom(PageSession.start)
  const [kind, setKind] = useState<"operator" | "project">("operator")
  const [isBusy, setBusy] = useState(false)
  const [failed, setFailed] = useState<string | undefined>(undefined)
  const [until, setUntil] = useState(0)
  const left = useSecondsTo(until)
  const form = useRef<HTMLFormElement>(null)
  const submit = (): void => {
    const data = new FormData(form.current!)
    const given =
      kind === "operator"
        ? { token: textOf(data, "token") }
        : { apiKey: textOf(data, "apiKey"), apiKeySecret: textOf(data, "apiKeySecret") }
    if (isBusy) return
    if (Object.values(given).includes("")) return setFailed(EMPTY)
    setBusy(true)
    setFailed(undefined)
    void Effect.runPromiseExit(AdminService.signIn(given)).then((exit) => {
      setBusy(false)
      // after a success, the form is no longer on the page
      if (Exit.isSuccess(exit)) {
        const { project } = exit.value
        // the reader typed the pair already, so IPFS does not ask for it again
        const { apiKey, apiKeySecret } = given
        if (apiKey !== undefined && apiKeySecret !== undefined) {
          SessionAccess.give({
            apiKey: PageSession.redacted(apiKey),
            apiKeySecret: PageSession.redacted(apiKeySecret)
          })
        }
        const place = registry.get(Router.currentRoute)
        // a project's session sees only that project
        if (project !== null && !("id" in place && place.id === project)) Router.go({ _tag: "Project", id: project })
        return
      }
      const found = Cause.findError(exit.cause)
      const error = Result.isSuccess(found) ? found.success : undefined
      if (error?._tag === "TooManyAttempts") setUntil(Date.now() + error.retryAfter * 1000)
      else if (error?._tag === "Unauthorized") setFailed(kind === "operator" ? WRONG_TOKEN : WRONG_PAIR)
      else setFailed(sentenceOf(exit.cause))
      const field = form.current?.querySelector("input")
      field?.focus()
      field?.select()
    })
  }
  return (
    <section className="sheet signin" aria-labelledby="signin-title">
      <h1 id="signin-title">{reason === "ended" ? "Your session has ended" : "Sign in"}</h1>
      <p className="soft">{WHY[reason]}</p>
      <div className="seg" role="group" aria-label="Sign in as">
        {(["operator", "project"] as const).map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={kind === one}
            onClick={() => {
              setKind(one)
              setFailed(undefined)
            }}
          >
            {one === "operator" ? "Operator" : "Project"}
          </button>
        ))}
      </div>
      <form
        key={kind}
        ref={form}
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        {kind === "operator" ? (
          // the reader opens this page to fill in the form, so the first field takes the focus
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          <Secret autoFocus name="token" label="Admin token" hint="plumbline up prints it when it starts." />
        ) : (
          <>
            {/* oxlint-disable-next-line jsx-a11y/no-autofocus */}
            <Secret autoFocus name="apiKey" label="API key" />
            <Secret name="apiKeySecret" label="API key secret" hint="Both were shown once, when the key was made." />
          </>
        )}
        <p className="problem" role="alert">
          {left > 0
            ? `Too many wrong tries came from this address. The right one is taken at any time; wrong ones are answered again in ${left} s.`
            : failed}
        </p>
        <button type="submit" className="button primary" disabled={isBusy}>
          {isBusy ? "Signing in …" : "Sign in"}
        </button>
      </form>
      {Option.exists(AsyncResult.value(start), ({ signOn }) => signOn) ? (
        <p>
          <a
            className="button"
            href={`/admin/sign-in?to=${encodeURIComponent(`${location.pathname}${location.search}`)}`}
            onClick={SignInState.expect}
          >
            Sign in with your organisation
          </a>
        </p>
      ) : null}
      <p className="small quiet">
        It is sent once. This page then holds a session that no script can read, for 12 hours at most.
        {kind === "project"
          ? " For IPFS, the memory of this page keeps the key and its secret until it is loaded again."
          : ""}
      </p>
    </section>
  )
}

const EMPTY = "Nothing was sent: a field has only spaces."
const WRONG_TOKEN = "This is not the admin token of this service."
const WRONG_PAIR = "This is not a key and secret of this service. A suspended or ended key is refused too."

const Secret = (props: Parameters<typeof Field>[0]) => (
  <Field className="field mono" type="password" spellCheck={false} required {...props} />
)

/** Returns the whole seconds until a time, and counts them down. */
const useSecondsTo = (until: number): number => {
  const [left, setLeft] = useState(0)
  useEffect(() => {
    const tick = (): void => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000)))
    tick()
    if (until <= Date.now()) return undefined
    const timer = setInterval(tick, 500)
    return () => clearInterval(timer)
  }, [until])
  return left
}
