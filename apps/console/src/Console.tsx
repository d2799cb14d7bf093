/** The console: the shell, and the screen that the address names. Each screen loads its own code. */
import { Suspense } from "react"

import * as AcceptedTrust from "./chain/AcceptedTrust.ts"
import { Skeleton } from "./look/Skeleton.tsx"
import { useAtom } from "./look/useAtom.ts"
import { LinkAnchor } from "./parts/LinkAnchor.tsx"
import * as ConsoleRoute from "./route/ConsoleRoute.ts"
import * as Router from "./route/Router.ts"
import { useHeading } from "./shell/heading.ts"
import { Boundary, lazyScreen } from "./shell/lazyScreen.tsx"
import { Shell } from "./shell/Shell.tsx"

const Home = lazyScreen(() => import("./screens/Home.tsx"))
const Blocks = lazyScreen(() => import("./screens/BlocksScreen.tsx"))
const Block = lazyScreen(() => import("./screens/BlockScreen.tsx"))
const Transaction = lazyScreen(() => import("./screens/TransactionScreen.tsx"))
const Account = lazyScreen(() => import("./screens/AccountScreen.tsx"))
const Name = lazyScreen(() => import("./screens/NameScreen.tsx"))
const Prove = lazyScreen(() => import("./screens/ProveScreen.tsx"))
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
const Audit = lazyScreen(() => import("./operators/AuditScreen.tsx"))
const Accounts = lazyScreen(() => import("./operators/AccountsScreen.tsx"))
const Webhooks = lazyScreen(() => import("./webhooks/WebhooksScreen.tsx"))
const Storage = lazyScreen(() => import("./storage/Storage.tsx"))
const Contract = lazyScreen(() => import("./contract/ContractScreen.tsx"))
const Verify = lazyScreen(() => import("./verify/OnService.tsx"))
const Nowhere = lazyScreen(() => import("./screens/NotFound.tsx"))

const Screen = ({ place }: { readonly place: ConsoleRoute.ConsoleRoute }) => {
  switch (place._tag) {
    case "Home":
      return <Home />
    case "Network":
      return <Blocks network={place.network} />
    case "Block":
      return <Block place={place} />
    case "Transaction":
      return <Transaction place={place} />
    case "Account":
      return <Account place={place} />
    case "Name":
      return <Name place={place} />
    case "Prove":
      return <Prove network={place.network} />
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
      return <Project id={place.id} window={place.window} />
    case "Tokens":
      return <Tokens id={place.id} />
    case "Alerts":
      return <Alerts />
    case "Audit":
      return <Audit />
    case "Accounts":
      return <Accounts />
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
  const asked = useAtom(Router.currentRoute)
  const anchors = useAtom(AcceptedTrust.accepted)
  const place = AcceptedTrust.applied(asked, { anchors, ids: useAtom(AcceptedTrust.consents) })
  const project = useAtom(Router.project)
  useHeading(ConsoleRoute.title(place, "id" in place && place.id === project?.id ? project.name : undefined))
  return (
    <Shell place={place}>
      <LinkAnchor place={asked} />
      <Boundary of={ConsoleRoute.link(place).href}>
        <Suspense fallback={<Skeleton says="Loading the screen" />}>
          <Screen place={place} />
        </Suspense>
      </Boundary>
    </Shell>
  )
}
