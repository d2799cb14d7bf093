/** All scenarios, in the order of the report. */
import type { Scenario } from "./scenario.ts"
import { clock } from "./scenarios/clock.ts"
import { disk } from "./scenarios/disk.ts"
import { hung } from "./scenarios/hung.ts"
import { idle } from "./scenarios/idle.ts"
import { killed } from "./scenarios/killed.ts"
import { lagging } from "./scenarios/lagging.ts"
import { limiting } from "./scenarios/limiting.ts"
import { lying } from "./scenarios/lying.ts"
import { postgres } from "./scenarios/postgres.ts"
import { redis } from "./scenarios/redis.ts"
import { reorganising } from "./scenarios/reorganising.ts"
import { saturation } from "./scenarios/saturation.ts"
import { subscribers } from "./scenarios/subscribers.ts"

export const scenarios: ReadonlyArray<Scenario> = [
  killed,
  hung,
  lying,
  lagging,
  reorganising,
  limiting,
  postgres,
  redis,
  clock,
  disk,
  idle,
  subscribers,
  saturation
]
