/** Tests the service while its nodes are killed, hang, refuse calls over a limit, lag behind, or reorganise. */
import { hung } from "../../src/chaos/scenarios/hung.ts"
import { killed } from "../../src/chaos/scenarios/killed.ts"
import { lagging } from "../../src/chaos/scenarios/lagging.ts"
import { limiting } from "../../src/chaos/scenarios/limiting.ts"
import { reorganising } from "../../src/chaos/scenarios/reorganising.ts"
import * as Chaos from "../support/chaos.ts"

Chaos.holds(hung)
Chaos.holds(killed)
Chaos.holds(lagging)
Chaos.holds(limiting)
Chaos.holds(reorganising)
