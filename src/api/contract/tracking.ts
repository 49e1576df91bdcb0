// Shapes of the tracking settings of streams and domains in the API.

import { Type } from 'typebox'

const wish = (what: string) =>
  Type.Union([Type.Boolean(), Type.Null()], {
    description: `a boolean, true if ${what} are tracked by default, or null for the setting of the domain`,
  })

const fields = { track_opens: wish('opens'), track_links: wish('clicks on links') }

/** Tracking fields of a stream in a response. */
export const trackingView = fields

/** Tracking fields of a stream in a request; omitted fields stay unchanged. */
export const trackingFields = {
  track_opens: Type.Optional(fields.track_opens),
  track_links: Type.Optional(fields.track_links),
}

const flag = (what: string) =>
  Type.Boolean({
    description: `True if ${what} are tracked, unless the stream or the message sets another value`,
  })

/** Tracking fields of a domain in a response. */
export const domainTrackingView = {
  track_opens: flag('opens'),
  track_links: flag('clicks on links'),
}

const choice = (what: string) =>
  Type.Optional(
    Type.Union([Type.Boolean(), Type.Null()], {
      description: `a boolean, true if ${what} are tracked by default, which needs the tracking host of the domain, or null for false`,
    }),
  )

/** Tracking fields of a domain in a request; omitted fields stay unchanged. */
export const domainTrackingFields = { track_opens: choice('opens'), track_links: choice('clicks on links') }
