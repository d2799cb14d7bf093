/** The entry of the page. */
import "./look/base.css"
import "./shell/shell.css"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"

import { Console } from "./Console.tsx"
import * as Theme from "./look/Theme.ts"
import * as Router from "./route/Router.ts"

Theme.start()
Router.listen()
createRoot(document.getElementById("console")!).render(
  <StrictMode>
    <Console />
  </StrictMode>
)
