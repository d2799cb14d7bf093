/** The frame of every screen: the name, the search, the network, the groups of screens, the anchor, and the help. */
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useState } from "react"

import { SignedInAs } from "../admin/SignedInAs.tsx"
import type { ServiceStart } from "../chain/ConsoleNetworks.ts"
import * as PageSession from "../chain/PageSession.ts"
import * as Theme from "../look/Theme.ts"
import { setAtom, useAtom } from "../look/useAtom.ts"
import { AcceptedAnchor } from "../parts/ServiceAnchor.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as Router from "../route/Router.ts"
import { ConnectionNote } from "./ConnectionNote.tsx"
import { EarlySearch, type EarlyText } from "./EarlySearch.tsx"
import type { OpenPaletteProps } from "./OpenPalette.tsx"
import { ScreenGroup } from "./ScreenGroup.tsx"
import { groups } from "./screens.ts"

const Help = lazy(() => import("./Help.tsx"))

/** Returns true if a key press belongs to a field, and is not a shortcut. */
const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/u.test(target.tagName))

type SetPalette = (palette: () => ComponentType<OpenPaletteProps>) => void

/** Loads the palette's code. A load that failed is tried again when the palette is opened. */
const loadPalette = (set: SetPalette): void =>
  void import("./OpenPalette.tsx").then(
    ({ default: Loaded }) => set(() => Loaded),
    () => undefined
  )

/** The frame. */
export const Shell = ({
  children,
  place
}: {
  readonly children: ReactNode
  readonly place: ConsoleRoute.ConsoleRoute
}) => {
  const [open, setOpen] = useState<"help" | "palette" | undefined>(undefined)
  const [early, setEarly] = useState(NOT_TYPED)
  const [OpenPalette, setOpenPalette] = useState<ComponentType<OpenPaletteProps> | undefined>(undefined)
  const start = useAtom(PageSession.start)
  const { networks, secondChains } = Option.getOrElse(AsyncResult.value(start), () => NOTHING)
  const all = [...networks, ...secondChains]
  const last = useAtom(PageSession.current)
  const named = "network" in place ? place.network : place._tag === "Pending" ? place.chain : undefined
  const shown = named ?? last ?? networks[0]?.name
  const network = all.find(({ name }) => name === shown)
  // a second chain has its pending transactions and its methods, and no blocks
  const explored = networks.find(({ name }) => name === shown) ?? networks[0]
  useEffect(() => {
    if ("network" in place) setAtom(PageSession.current, place.network)
  }, [place])
  // The palette's code is loaded once the page is shown. Keys that are pressed before it is there go to `EarlySearch`.
  useEffect(() => loadPalette(setOpenPalette), [])
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const isPalette = event.key.toLowerCase() === "k" && (event.metaKey || event.ctrlKey) && !event.altKey
      if (!isPalette && (isTyping(event) || event.metaKey || event.ctrlKey || event.altKey)) return
      if (event.key === "?") setOpen("help")
      else if (event.key === "/" || isPalette) {
        loadPalette(setOpenPalette)
        setOpen("palette")
      } else if (event.key === "c") copyFocused()
      else return
      event.preventDefault()
    }
    addEventListener("keydown", pressed)
    return () => removeEventListener("keydown", pressed)
  }, [])
  const close = (): void => {
    setOpen(undefined)
    setEarly(NOT_TYPED)
  }
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
        <button
          type="button"
          className="search"
          aria-haspopup="dialog"
          aria-keyshortcuts="/ Control+K Meta+K"
          onClick={() => {
            loadPalette(setOpenPalette)
            setOpen("palette")
          }}
        >
          <svg className="icon" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
            <circle cx="7" cy="7" r="4.5" />
            <path d="M10.5 10.5 14 14" />
          </svg>
          <span className="ellipsis">Search a block, an address, a name or a CID</span>
          <kbd aria-hidden="true">{IS_MAC ? "⌘ K" : "Ctrl K"}</kbd>
        </button>
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
        <button type="button" className="tool help" aria-label="Keyboard shortcuts" onClick={() => setOpen("help")}>
          <b aria-hidden="true">?</b>
        </button>
      </header>
      <nav aria-label="Screens" className="screens">
        {groups.map(({ name, screens }) => (
          <ScreenGroup
            key={name}
            name={name}
            entries={screens.flatMap(({ name, placeOf, tags }) => {
              const first = placeOf(explored?.name)
              const isCurrent = tags.includes(place._tag)
              return first === undefined ? [] : [{ name, isCurrent, ...ConsoleRoute.link(first) }]
            })}
          />
        ))}
        {explored === undefined ? null : <AcceptedAnchor network={explored} place={place} />}
      </nav>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      <ConnectionNote />
      {open === "help" ? (
        <Suspense>
          <Help onClose={() => setOpen(undefined)} />
        </Suspense>
      ) : null}
      {open !== "palette" ? null : OpenPalette === undefined ? (
        <EarlySearch early={early} onText={setEarly} onClose={close} />
      ) : (
        <OpenPalette
          early={early}
          network={explored}
          networks={networks.map(({ name }) => name)}
          onClose={close}
          onHelp={() => setOpen("help")}
        />
      )}
    </>
  )
}

const NOT_TYPED: EarlyText = { text: "", isEntered: false }

const NOTHING: Pick<ServiceStart, "networks" | "secondChains"> = { networks: [], secondChains: [] }

const IS_MAC = /^Mac|^iP/u.test(globalThis.navigator?.platform ?? "")

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
