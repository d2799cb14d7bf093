/** The panel for an address of the page that names no screen. */
import { StatePanel } from "../look/StatePanel.tsx"
import * as TypedText from "../route/TypedText.ts"

const NotFound = ({ path }: { readonly path: string }) => (
  <StatePanel
    kind="No such page"
    title="This page does not exist"
    text={TypedText.pathProblem(path) ?? "The address does not name a screen of the console."}
  >
    <a className="button primary" href="/console/">
      Go to the explorer
    </a>
  </StatePanel>
)

export default NotFound
