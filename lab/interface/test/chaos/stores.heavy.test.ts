/** Stores that crash, a full disk, and a clock that jumps. */
import { clock } from "../../src/chaos/scenarios/clock.ts"
import { disk } from "../../src/chaos/scenarios/disk.ts"
import { postgres } from "../../src/chaos/scenarios/postgres.ts"
import { redis } from "../../src/chaos/scenarios/redis.ts"
import * as Chaos from "../support/chaos.ts"

Chaos.holds(clock)
Chaos.holds(disk)
Chaos.holds(postgres)
Chaos.holds(redis)
