-- The usage of projects in ClickHouse, which the service posts to it: webhooks.<name> with format cloudevents and
-- events [usage.day]. The URL of the receiver is that of ClickHouse's HTTP interface:
--   https://clickhouse.example:8443/?user=plumbline&password=<password>&input_format_skip_unknown_fields=1&date_time_input_format=best_effort&query=INSERT%20INTO%20plumbline_usage%20FORMAT%20JSONEachRow
-- A row that is sent again replaces itself, because its id is the same: read with FINAL. A month is a partition, and is
-- removed after two years.
CREATE TABLE plumbline_usage
(
    id String,
    type LowCardinality(String),
    subject String,
    time DateTime64(3, 'UTC'),
    data Tuple(
        project String,
        day DateTime64(3, 'UTC'),
        product LowCardinality(String),
        network LowCardinality(String),
        method LowCardinality(String),
        status UInt16,
        key String,
        outcome LowCardinality(String),
        calls UInt64,
        credits UInt64,
        bytesIn UInt64,
        bytesOut UInt64
    )
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(data.day)
ORDER BY id
TTL toDateTime(data.day) + INTERVAL 24 MONTH;

-- The invoice of a month:
--   SELECT data.project, sum(data.calls), sum(data.credits) FROM plumbline_usage FINAL
--   WHERE toYYYYMM(data.day) = 202611 GROUP BY data.project ORDER BY data.project
