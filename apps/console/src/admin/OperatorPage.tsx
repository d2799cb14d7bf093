/**
 * The pages of the admin API: the sign-in without a session, the panel for a session that may not see the page, and the
 * value of the page's read, which stays up to date.
 */
import "./admin.css"
import type { Session } from "@plumbline/gateway-admin/api/AdminSession"
import * as Effect from "effect/Effect"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import type * as Atom from "effect/reactivity/Atom"
import { type ReactNode, useEffect, useMemo, useState } from "react"

import { StatePanel } from "../look/StatePanel.tsx"
import { registry, useAtom } from "../look/useAtom.ts"
import type { ReadFailure, ScreenRead } from "../parts/ReadState.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as AdminService from "./AdminService.ts"
import { useChanges, useEvery } from "./liveUpdates.ts"
import { PolledValue } from "./PolledValue.tsx"
import { type Method, whyNot } from "./rights.ts"
import { SignIn } from "./SignIn.tsx"
import * as SignInState from "./SignInState.ts"

/** A read that stays up to date, and how its value is shown. */
interface LiveRead<A, E extends ReadFailure> {
  readonly of: Atom.Atom<ScreenRead<A, E>["result"]>
  /** The thing that is read, such as `the webhooks`. */
  readonly what: string
  /** The parts of the service whose changes need another read, separated by spaces. */
  readonly changes?: string
  /** Milliseconds between two reads. */
  readonly every?: number
  /** Further reads of the page, which are repeated with this one. The list must be the same at each render. */
  readonly also?: ReadonlyArray<Atom.Atom<unknown>>
  readonly children: (value: A, again: () => void) => ReactNode
}

const NONE: ReadonlyArray<Atom.Atom<unknown>> = []

/** Shows the value of a read that stays up to date, or the state in its place. */
export const LiveValue = <A, E extends ReadFailure>({
  also = NONE,
  changes,
  children,
  every,
  of,
  what
}: LiveRead<A, E>) => {
  const atoms = useMemo(() => [of, ...also], [of, also])
  useEffect(() => {
    for (const atom of atoms) if (isOlder(registry.get(atom))) registry.refresh(atom)
  }, [atoms])
  useChanges(changes, atoms)
  useEvery(every, atoms)
  const again = (): void => {
    for (const atom of atoms) registry.refresh<unknown>(atom)
  }
  return (
    <PolledValue result={useAtom(of)} what={what} again={again}>
      {(value) => children(value, again)}
    </PolledValue>
  )
}

/** Milliseconds after which a value is that of an earlier screen. It is shown until it is read again. */
const EARLIER = 5000

const isOlder = (value: unknown): boolean =>
  AsyncResult.isAsyncResult(value) &&
  AsyncResult.isSuccess(value) &&
  !value.waiting &&
  Date.now() - value.timestamp > EARLIER

/**
 * Shows a page to an operator whose role permits its read. Another session sees a panel with the reason, which leads to
 * the page of its project, or to the list of its projects.
 */
export const OperatorPage = <A, E extends ReadFailure>({
  needs,
  refused,
  ...read
}: LiveRead<A, E> & {
  /** The method of the admin API that the page reads. */
  readonly needs: Method
  /** The panel's title, and what the page of the project shows. */
  readonly refused: { readonly title: string; readonly text: string }
}) => (
  <Gate>
    {(session) => {
      const { kind, project, role } = session
      const why = whyNot(session, needs)
      if (kind === "operator" && why === undefined) return <LiveValue {...read} />
      const isOwn = kind === "project"
      return (
        <StatePanel
          kind={isOwn ? "A project's session" : `The role ${role}`}
          title={refused.title}
          text={
            isOwn
              ? `You signed in with the key of a project. Its page shows ${refused.text}.`
              : `${why} The page of a project shows ${refused.text}.`
          }
        >
          <a
            className="button primary"
            href={ConsoleRoute.link(isOwn ? { _tag: "Project", id: project ?? "" } : { _tag: "Projects" }).href}
          >
            {isOwn ? "Go to the project" : "Go to the projects"}
          </a>
        </StatePanel>
      )
    }}
  </Gate>
)

/** Shows a screen of the admin API if there is a session, and the sign-in otherwise. */
export const Gate = ({ children }: { readonly children: (session: Session) => ReactNode }) => {
  const signed = useAtom(SignInState.signInState)
  useEffect(() => {
    if (signed._tag === "Unknown") void Effect.runPromise(AdminService.resume)
  }, [signed])
  switch (signed._tag) {
    case "In":
      return children(signed.session)
    case "Out":
      return <SignIn reason={signed.reason} />
    case "Unknown":
      return <p className="page quiet" role="status" />
  }
}

/** The head of a page: its title, a sentence about it, and what the reader can do. */
export const Lead = ({
  children,
  text,
  title
}: {
  readonly title: ReactNode
  readonly text: ReactNode
  readonly children?: ReactNode
}) => (
  <div className="lead">
    <div>
      <h1>{title}</h1>
      {typeof text === "string" ? <p className="soft">{text}</p> : text}
    </div>
    {children}
  </div>
)

/** Keeps which dialogue is open. Closing one reads the page again. */
export const useDialog = <Asked,>(again: () => void) => {
  const [asked, ask] = useState<Asked | undefined>(undefined)
  const close = (): void => {
    ask(undefined)
    again()
  }
  return { asked, ask, close }
}
