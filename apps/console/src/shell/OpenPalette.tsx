/** The palette with the projects of the session, and the actions that are possible now. */
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { useEffect, useMemo, useState } from "react"

import * as SignInState from "../admin/SignInState.ts"
import * as AcceptedTrust from "../chain/AcceptedTrust.ts"
import type { Network } from "../chain/ConsoleNetworks.ts"
import * as ExampleContracts from "../chain/ExampleContracts.ts"
import * as PageSession from "../chain/PageSession.ts"
import * as Theme from "../look/Theme.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import { stopTrusting } from "../parts/ServiceAnchor.tsx"
import * as Router from "../route/Router.ts"
import type { EarlyText } from "./EarlySearch.tsx"
import * as ExampleEntries from "./exampleEntries.ts"
import { Palette } from "./Palette.tsx"
import type { PaletteEntry } from "./paletteEntries.ts"

/** The facts of the page, and the ways out of the palette. */
export interface OpenPaletteProps {
  /** The text that the reader typed before the palette was loaded. */
  readonly early: EarlyText
  readonly network: Network | undefined
  readonly networks: ReadonlyArray<string>
  readonly onClose: () => void
  readonly onHelp: () => void
}

const OpenPalette = ({ early, network, networks, onClose, onHelp }: OpenPaletteProps) => {
  const signed = useAtom(SignInState.signInState)
  const accepted = useAtom(AcceptedTrust.accepted)
  const [projects, setProjects] = useState<ReadonlyArray<{ readonly id: string; readonly name: string }>>()
  const started = useAtom(PageSession.start)
  const start = Option.getOrUndefined(AsyncResult.value(started))
  const [layouts, setLayouts] = useState<ExampleEntries.ExampleLayouts>()
  const embedded = useMemo(() => {
    const all = start?.networks.filter((one) => ExampleContracts.of(one) !== undefined) ?? []
    return [...all.filter(({ name }) => name === network?.name), ...all.filter(({ name }) => name !== network?.name)]
  }, [start, network?.name])
  const hasExamples = embedded.length > 0
  useEffect(() => {
    if (hasExamples) void ExampleEntries.readLayouts().then(setLayouts, () => setLayouts(NO_LAYOUTS))
  }, [hasExamples])
  const examples = useMemo(
    () => embedded.flatMap((network) => ExampleEntries.entriesOf(network, layouts ?? NO_LAYOUTS)),
    [embedded, layouts]
  )
  const isOperator = signed._tag === "In" && signed.session.kind === "operator"
  useEffect(() => {
    if (!isOperator) return undefined
    let isGone = false
    let end = (): void => undefined
    // the client of the admin API is loaded only for an operator
    void import("../projects/projectReads.ts").then(
      ({ all }) => {
        if (isGone) return
        end = registry.subscribe(
          all,
          (result) => {
            const found = Option.getOrUndefined(AsyncResult.value(result))
            if (found !== undefined || AsyncResult.isFailure(result)) setProjects(found?.projects ?? [])
          },
          { immediate: true }
        )
      },
      () => setProjects([])
    )
    return () => {
      isGone = true
      end()
    }
  }, [isOperator])
  const anchor = network === undefined ? undefined : AcceptedTrust.announced(network)
  const action = (title: string, detail: string, run: () => void): PaletteEntry => ({
    id: `action ${title}`,
    kind: "Action",
    title,
    detail,
    run
  })
  const actions = [
    ...(network === undefined || anchor === undefined
      ? []
      : accepted.has(network.name)
        ? [
            action(`Stop trusting the ${anchor.kind} of this service`, network.name, () =>
              stopTrusting(network, anchor.trust)
            )
          ]
        : [action(`Trust the ${anchor.kind} of this service`, network.name, () => AcceptedTrust.accept(network))]),
    action("Change the theme", "light or dark", Theme.turn),
    action("Show the keyboard shortcuts", "?", onHelp),
    signed._tag === "Out"
      ? action("Sign in", "as an operator, or with a project's key", () => Router.go({ _tag: "Overview" }))
      : action("Make a project", "on the screen of projects", () => Router.go({ _tag: "Projects" }))
  ]
  const facts = { network: network?.name, networks, projects: projects ?? [], examples, actions }
  const isReady =
    (start !== undefined || AsyncResult.isFailure(started)) &&
    signed._tag !== "Unknown" &&
    (layouts !== undefined || !hasExamples) &&
    (projects !== undefined || !isOperator)
  return <Palette {...facts} early={early} isReady={isReady} onClose={onClose} />
}

const NO_LAYOUTS: ExampleEntries.ExampleLayouts = new Map()

export default OpenPalette
