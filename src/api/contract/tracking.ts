// Tracking of streams and domains as the API takes and shows it.

import { Type } from 'typebox'

const wish = (what: string) =>
  Type.Union([Type.Boolean(), Type.Null()], {
    description: `a choice whether ${what} are tracked by default (true, false), or null for what the domain says`,
  })

const fields = { track_opens: wish('opens'), track_links: wish('clicks on links') }

/** Of a stream, as it is shown. */
export const trackingView = fields

/** Of a stream, as it is given; what is left out stays. */
export const trackingFields = {
  track_opens: Type.Optional(fields.track_opens),
  track_links: Type.Optional(fields.track_links),
}

const flag = (what: string) =>
  Type.Boolean({
    description: `Whether ${what} are tracked, unless the stream or the message says otherwise`,
  })

/** Of a domain, as it is shown. */
export const domainTrackingView = {
  track_opens: flag('opens'),
  track_links: flag('clicks on links'),
}

/** Of a domain, as it is given; what is left out stays. */
export const domainTrackingFields = {
  track_opens: Type.Optional(domainTrackingView.track_opens),
  track_links: Type.Optional(domainTrackingView.track_links),
}
