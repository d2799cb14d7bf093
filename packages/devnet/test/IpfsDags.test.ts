import { fresh } from "./ipfs.ts"
import { ipfsDags } from "./suites/IpfsDags.ts"

ipfsDags(fresh)
