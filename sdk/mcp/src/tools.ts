// All tools.

import { CHANGING_TOOLS } from './changing-tools.ts'
import { READING_TOOLS } from './reading-tools.ts'
import type { Tool } from './tool.ts'

/** All tools. */
export const TOOLS: readonly Tool[] = [...READING_TOOLS, ...CHANGING_TOOLS]
