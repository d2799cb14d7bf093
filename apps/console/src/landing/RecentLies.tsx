/** Finds the nodes that lied within the last hour, and shows them. */
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Atom from "effect/reactivity/Atom"
import { Suspense, useEffect } from "react"

import * as ConsoleNetworks from "../chain/ConsoleNetworks.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import { lazyScreen } from "../shell/lazyScreen.tsx"

/** Few pages show a lie, so the first picture of the page does not wait for this code. */
const LiarList = lazyScreen(() => import("./LiarList.tsx"))

/** The networks, read again while the page is visible, because a node can lie, and be trusted again, at any moment. */
const now = Atom.make(ConsoleNetworks.read)

/** Milliseconds between two reads from the service on this machine. */
const EVERY = 2000

/** The panel, for a page on the service's machine. Another page is not told of lies. */
export const RecentLies = () => {
  const found = Option.getOrUndefined(AsyncResult.value(useAtom(now)))
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") registry.refresh(now)
    }, EVERY)
    return () => clearInterval(timer)
  }, [])
  const liars = (found?.networks ?? []).flatMap(({ liars, name }) =>
    (liars ?? []).map((liar) => ({ ...liar, network: name }))
  )
  return liars.length === 0 ? null : (
    <Suspense fallback={null}>
      <LiarList liars={liars} />
    </Suspense>
  )
}
