/** The frame of every screen: the name, the screens, the search, the network, and the help. */
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react"

import { SignedInAs } from "../admin/SignedInAs.tsx"
import type { ServiceStart } from "../chain/ConsoleNetworks.ts"
import * as PageSession from "../chain/PageSession.ts"
import * as Theme from "../look/Theme.ts"
import { setAtom, useAtom } from "../look/useAtom.ts"
import { useMedia } from "../look/useMedia.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as Router from "../route/Router.ts"
import { ScreenGroup } from "./ScreenGroup.tsx"
import { Search } from "./Search.tsx"

const Help = lazy(() => import("./Help.tsx"))

/** Returns true if a key press belongs to a field, and is not a shortcut. */
const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/u.test(target.tagName))

/** The frame. */
export const Shell = ({
  children,
  place
}: {
  readonly children: ReactNode
  readonly place: ConsoleRoute.ConsoleRoute
}) => {
  const [isHelpOpen, setHelpOpen] = useState(false)
  const start = useAtom(PageSession.start)
  const { networks, secondChains } = Option.getOrElse(AsyncResult.value(start), () => NOTHING)
  const all = [...networks, ...secondChains]
  const last = useAtom(PageSession.current)
  const named = "network" in place ? place.network : place._tag === "Pending" ? place.chain : undefined
  const shown = named ?? last ?? networks[0]?.name
  const network = all.find(({ name }) => name === shown)
  // a second chain has its pending transactions and its methods, and no explorer
  const explored = networks.some(({ name }) => name === shown) ? shown : networks[0]?.name
  const bar = screens(explored)
  // each screen's name takes about 72 pixels, and the rest of the bar takes 645 pixels
  const isWide = useMedia(`(min-width: ${645 + 72 * bar.length}px)`)
  useEffect(() => {
    if ("network" in place) setAtom(PageSession.current, place.network)
  }, [place])
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (isTyping(event) || event.metaKey || event.ctrlKey || event.altKey) return
      if (event.key === "?") setHelpOpen(true)
      else if (event.key === "/") document.getElementById("search")?.focus()
      else if (event.key === "c") copyFocused()
      else return
      event.preventDefault()
    }
    addEventListener("keydown", pressed)
    return () => removeEventListener("keydown", pressed)
  }, [])
  return (
    <>
      <a className="skip button" href="#content">
        Skip to the content
      </a>
      <header className="bar">
        <a className="brand" href={`${ConsoleRoute.BASE}/`}>
          <svg viewBox="0 0 16 34" width="16" height="34" aria-hidden="true">
            <path d="M7.3 0h1.4v18H7.3zM6 17h4v2.4h2.6v3L8 33.5l-4.6-11v-3H6z" />
          </svg>
          Plumbline
        </a>
        <nav aria-label="Screens" className={isWide ? "wide" : undefined}>
          {(["Chain", "Run"] as const).map((name) => {
            const entries = bar.flatMap(({ group = "Chain", tags, ...screen }) =>
              group === name ? [{ ...screen, isCurrent: tags.includes(place._tag) }] : []
            )
            return entries.length === 0 ? null : <ScreenGroup key={name} name={name} entries={entries} />
          })}
        </nav>
        {explored === undefined ? null : <Search network={explored} />}
        <div className="where">
          {all.length < 2 ? (
            <b>{shown}</b>
          ) : (
            <select
              aria-label="Network"
              value={shown}
              onChange={({ target }) => Router.go(firstScreenOf(target.value, secondChains))}
            >
              {all.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
          {network === undefined ? null : <span className="chain">chain {network.chainId}</span>}
        </div>
        <SignedInAs />
        <ThemeButton />
        <button type="button" className="tool help" aria-label="Keyboard shortcuts" onClick={() => setHelpOpen(true)}>
          <b aria-hidden="true">?</b>
        </button>
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      {isHelpOpen ? (
        <Suspense>
          <Help onClose={() => setHelpOpen(false)} />
        </Suspense>
      ) : null}
    </>
  )
}

const NOTHING: Pick<ServiceStart, "networks" | "secondChains"> = { networks: [], secondChains: [] }

const firstScreenOf = (network: string, secondChains: ServiceStart["secondChains"]): ConsoleRoute.ConsoleRoute =>
  secondChains.some(({ name }) => name === network) ? { _tag: "Pending", chain: network } : { _tag: "Network", network }

/** Copies the hash or value that has the focus. */
const copyFocused = (): void => {
  const focused = document.activeElement
  const text = focused instanceof HTMLElement ? focused.dataset["copy"] : undefined
  if (text === undefined) return
  if (focused instanceof HTMLButtonElement) focused.click()
  else void navigator.clipboard.writeText(text)
}

/** A screen in the bar. `tags` lists the kinds of places that belong to this screen. */
interface Screen {
  readonly name: string
  readonly tags: ReadonlyArray<string>
  readonly href: string
  /** The group of the screen: `Chain` shows a chain, `Run` is for the service's operator. Default: `Chain`. */
  readonly group?: "Chain" | "Run"
}

const screens = (network: string | undefined): ReadonlyArray<Screen> => [
  {
    name: "Explorer",
    tags: ["Home", "Network", "Block", "Transaction", "Account", "Name"],
    ...ConsoleRoute.link(network === undefined ? { _tag: "Home" } : { _tag: "Network", network })
  },
  ...(network === undefined ? [] : screensOf(network)),
  { name: "IPFS", tags: ["Ipfs", "Commands"], ...ConsoleRoute.link({ _tag: "Ipfs" }) },
  { name: "Pending", tags: ["Pending"], ...ConsoleRoute.link({ _tag: "Pending" }) },
  { name: "Verify", tags: ["Verify"], ...ConsoleRoute.link({ _tag: "Verify" }) },
  { group: "Run", name: "Overview", tags: ["Overview"], ...ConsoleRoute.link({ _tag: "Overview" }) },
  {
    group: "Run",
    name: "Projects",
    tags: ["Projects", "Project", "Tokens"],
    ...ConsoleRoute.link({ _tag: "Projects" })
  },
  { group: "Run", name: "Alerts", tags: ["Alerts", "Webhooks"], ...ConsoleRoute.link({ _tag: "Alerts" }) }
]

/** The screens of one network. */
const screensOf = (network: string): ReadonlyArray<Screen> => [
  {
    name: "Proof",
    tags: ["Proof"],
    ...ConsoleRoute.link({ _tag: "Proof", network, block: "latest", subject: { _tag: "Header", field: "stateRoot" } })
  },
  {
    name: "Contract",
    tags: ["Contract", "Storage"],
    ...ConsoleRoute.link({ _tag: "Contract", network, block: "latest" })
  },
  { name: "Playground", tags: ["Playground"], ...ConsoleRoute.link({ _tag: "Playground", network }) },
  { name: "Lie to me", tags: ["Lies"], ...ConsoleRoute.link({ _tag: "Lies", network }) }
]

const ThemeButton = () => {
  const theme = useAtom(Theme.theme)
  const next = theme === "dark" ? "light" : "dark"
  return (
    <button type="button" className="tool" aria-label={`Use the ${next} theme`} onClick={Theme.turn}>
      <svg className="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <circle cx="8" cy="8" r="6" />
        <path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor" />
      </svg>
    </button>
  )
}
