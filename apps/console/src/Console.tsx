/** The console: the shell, and the screen that the address names. Each screen loads its own code. */
import { Suspense } from "react"

import { useAtom } from "./look/useAtom.ts"
import * as ConsoleRoute from "./route/ConsoleRoute.ts"
import * as Router from "./route/Router.ts"
import { useHeading } from "./shell/heading.ts"
import { Boundary, lazyScreen } from "./shell/lazyScreen.tsx"
import { Shell } from "./shell/Shell.tsx"

const Home = lazyScreen(() => import("./screens/Home.tsx"))
const Block = lazyScreen(() => import("./screens/BlockScreen.tsx"))
const Transaction = lazyScreen(() => import("./screens/TransactionScreen.tsx"))
const Account = lazyScreen(() => import("./screens/AccountScreen.tsx"))
const Name = lazyScreen(() => import("./screens/NameScreen.tsx"))
const Microscope = lazyScreen(() => import("./microscope/Microscope.tsx"))
const Playground = lazyScreen(() => import("./playground/Playground.tsx"))
const Lies = lazyScreen(() => import("./lies/LiesScreen.tsx"))
const Ipfs = lazyScreen(() => import("./ipfs/IpfsScreen.tsx"))
const Commands = lazyScreen(() => import("./commands/Commands.tsx"))
const Pending = lazyScreen(() => import("./pending/Pending.tsx"))
const Overview = lazyScreen(() => import("./overview/Overview.tsx"))
const Projects = lazyScreen(() => import("./projects/ProjectsScreen.tsx"))
const Project = lazyScreen(() => import("./projects/ProjectPage.tsx"))
const Tokens = lazyScreen(() => import("./tokens/UserTokensScreen.tsx"))
const Alerts = lazyScreen(() => import("./alerts/Alerts.tsx"))
const Webhooks = lazyScreen(() => import("./webhooks/WebhooksScreen.tsx"))
const Storage = lazyScreen(() => import("./storage/Storage.tsx"))
const Contract = lazyScreen(() => import("./contract/ContractScreen.tsx"))
const Verify = lazyScreen(() => import("./verify/OnService.tsx"))
const Nowhere = lazyScreen(() => import("./screens/NotFound.tsx"))

const Screen = ({ place }: { readonly place: ConsoleRoute.ConsoleRoute }) => {
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
    case "Name":
      return <Name place={place} />
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
    case "Contract":
      return <Contract place={place} />
    case "Verify":
      return <Verify place={place} />
    case "Unknown":
      return <Nowhere path={place.path} />
  }
}

/** The page. */
export const Console = () => {
  const place = useAtom(Router.currentRoute)
  const project = useAtom(Router.project)
  useHeading(ConsoleRoute.title(place, "id" in place && place.id === project?.id ? project.name : undefined))
  return (
    <Shell place={place}>
      <Boundary of={ConsoleRoute.link(place).href}>
        <Suspense fallback={<p className="page quiet">Loading the screen</p>}>
          <Screen place={place} />
        </Suspense>
      </Boundary>
    </Shell>
  )
}
