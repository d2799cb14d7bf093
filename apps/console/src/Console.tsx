/** The console: the shell, and the screen that the address names. Each screen loads its own code. */
import { lazy, Suspense } from "react"

import { StatePanel } from "./look/StatePanel.tsx"
import { useAtom } from "./look/useAtom.ts"
import type { Place } from "./route/Place.ts"
import * as Router from "./route/Router.ts"
import { Shell } from "./shell/Shell.tsx"

const Home = lazy(() => import("./screens/Home.tsx"))
const Block = lazy(() => import("./screens/Block.tsx"))
const Transaction = lazy(() => import("./screens/Transaction.tsx"))
const Account = lazy(() => import("./screens/Account.tsx"))
const Microscope = lazy(() => import("./microscope/Microscope.tsx"))
const Playground = lazy(() => import("./playground/Playground.tsx"))
const Lies = lazy(() => import("./lies/Lies.tsx"))
const Ipfs = lazy(() => import("./ipfs/Ipfs.tsx"))
const Commands = lazy(() => import("./commands/Commands.tsx"))
const Pending = lazy(() => import("./pending/Pending.tsx"))
const Overview = lazy(() => import("./overview/Overview.tsx"))
const Projects = lazy(() => import("./projects/Projects.tsx"))
const Project = lazy(() => import("./projects/Project.tsx"))
const Tokens = lazy(() => import("./tokens/Tokens.tsx"))
const Alerts = lazy(() => import("./alerts/Alerts.tsx"))
const Webhooks = lazy(() => import("./webhooks/Webhooks.tsx"))
const Storage = lazy(() => import("./storage/Storage.tsx"))
const Verify = lazy(() => import("./verify/OnService.tsx"))

const Screen = ({ place }: { readonly place: Place }) => {
  switch (place._tag) {
    case "Home":
    case "Network":
      return <Home place={place} />
    case "Block":
      return <Block place={place} />
    case "Transaction":
      return <Transaction place={place} />
    case "Account":
      return <Account place={place} />
    case "Proof":
      return <Microscope place={place} />
    case "Ipfs":
      return <Ipfs place={place} />
    case "Commands":
      return <Commands place={place} />
    case "Pending":
      return <Pending place={place} />
    case "Overview":
      return <Overview place={place} />
    case "Projects":
      return <Projects />
    case "Project":
      return <Project id={place.id} />
    case "Tokens":
      return <Tokens id={place.id} />
    case "Alerts":
      return <Alerts />
    case "Webhooks":
      return <Webhooks name={place.name} />
    case "Playground":
      return <Playground place={place} />
    case "Lies":
      return <Lies place={place} />
    case "Storage":
      return <Storage place={place} />
    case "Verify":
      return <Verify place={place} />
    case "Unknown":
      return (
        <StatePanel
          kind="No such page"
          title="This page does not exist"
          text="The address does not name a screen of the console."
        >
          <a className="button primary" href="/console/">
            Go to the explorer
          </a>
        </StatePanel>
      )
  }
}

/** The page. */
export const Console = () => {
  const place = useAtom(Router.place)
  return (
    <Shell place={place}>
      <Suspense fallback={<p className="page quiet">Loading the screen</p>}>
        <Screen place={place} />
      </Suspense>
    </Shell>
  )
}
