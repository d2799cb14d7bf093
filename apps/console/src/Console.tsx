/** The console: the shell, and the screen that the address names. Each screen loads its own code. */
import { Suspense } from "react"

import { useAtom } from "./look/useAtom.ts"
import * as Place from "./route/Place.ts"
import * as Router from "./route/Router.ts"
import { useHeading } from "./shell/heading.ts"
import { Boundary, screen } from "./shell/screen.tsx"
import { Shell } from "./shell/Shell.tsx"

const Home = screen(() => import("./screens/Home.tsx"))
const Block = screen(() => import("./screens/Block.tsx"))
const Transaction = screen(() => import("./screens/Transaction.tsx"))
const Account = screen(() => import("./screens/Account.tsx"))
const Microscope = screen(() => import("./microscope/Microscope.tsx"))
const Playground = screen(() => import("./playground/Playground.tsx"))
const Lies = screen(() => import("./lies/Lies.tsx"))
const Ipfs = screen(() => import("./ipfs/Ipfs.tsx"))
const Commands = screen(() => import("./commands/Commands.tsx"))
const Pending = screen(() => import("./pending/Pending.tsx"))
const Overview = screen(() => import("./overview/Overview.tsx"))
const Projects = screen(() => import("./projects/Projects.tsx"))
const Project = screen(() => import("./projects/Project.tsx"))
const Tokens = screen(() => import("./tokens/Tokens.tsx"))
const Alerts = screen(() => import("./alerts/Alerts.tsx"))
const Webhooks = screen(() => import("./webhooks/Webhooks.tsx"))
const Storage = screen(() => import("./storage/Storage.tsx"))
const Verify = screen(() => import("./verify/OnService.tsx"))
const Nowhere = screen(() => import("./screens/Nowhere.tsx"))

const Screen = ({ place }: { readonly place: Place.Place }) => {
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
      return <Nowhere path={place.path} />
  }
}

/** The page. */
export const Console = () => {
  const place = useAtom(Router.place)
  const project = useAtom(Router.project)
  useHeading(Place.title(place, "id" in place && place.id === project?.id ? project.name : undefined))
  return (
    <Shell place={place}>
      <Boundary of={Place.link(place).href}>
        <Suspense fallback={<p className="page quiet">Loading the screen</p>}>
          <Screen place={place} />
        </Suspense>
      </Boundary>
    </Shell>
  )
}
