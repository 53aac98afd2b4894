import type { ExportRequest } from './export-definition.js';

/** What a file says about itself, as the member `metadata` of JSON forms. */
export interface FileMetadata {
  title: string;
  property: { id: string; name: string };
  date_range: { from: string; to: string };
  timezone: string;
  /** RFC 3339, whole seconds. */
  generated: string;
}

/** @param title after the service's name, for example `channels export` */
export function fileMetadata({ assetId, parameters, now }: ExportRequest, title: string): FileMetadata {
  const { serviceName, asset, from, to } = parameters;
  return {
    title: `${serviceName.charAt(0).toUpperCase()}${serviceName.slice(1)} ${title}`,
    property: { id: assetId, name: asset.name.replace(/\p{Cc}/gu, ' ') },
    date_range: { from, to },
    timezone: asset.timezone,
    generated: `${now.toISOString().slice(0, 19)}Z`,
  };
}

/** The same as lines above a CSV header. */
export function metadataLines({ title, property, date_range, timezone, generated }: FileMetadata): string[] {
  return [
    `# ${title}`,
    `# Property: ${property.name}`,
    `# Date range: ${date_range.from}..${date_range.to}`,
    `# Timezone: ${timezone}`,
    `# Generated: ${generated}`,
  ];
}
