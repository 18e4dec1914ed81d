{
  "prometheusRules": {
    "groups": [
      {
        "name": "edge-minutes",
        "interval": "1m",
        "rules": [
          {
            "record": "configuration:edge_responses_per_minute:sum",
            "expr": "sum by (account, product, configuration) (max by (account, product, configuration, configuration_id, class, code) (edge_responses_per_minute))"
          },
          {
            "record": "account:edge_responses_per_minute:sum",
            "expr": "sum by (account, product) (configuration:edge_responses_per_minute:sum)"
          },
          {
            "record": "configuration:edge_server_errors_per_minute:sum",
            "expr": "sum by (account, product, configuration) (max by (account, product, configuration, configuration_id, class, code) (edge_responses_per_minute{class=\"5xx\"}))"
          },
          {
            "record": "account:edge_server_errors_per_minute:sum",
            "expr": "sum by (account, product) (configuration:edge_server_errors_per_minute:sum)"
          },
          {
            "record": "account:edge_waf_ruleset_changed:relearning",
            "expr": "time() - max by (account) (edge_waf_ruleset_changed_timestamp_seconds) < bool 4500 == 1\nunless on (account)\nmax by (account) (last_over_time(account:edge_waf_threats_per_minute:since[1h9m30s])) < max by (account) (edge_waf_ruleset_changed_timestamp_seconds)"
          },
          {
            "record": "configuration:edge_requests_per_minute:sum",
            "expr": "sum by (account, product, configuration) (max by (account, product, configuration, configuration_id) (edge_requests_per_minute))"
          },
          {
            "record": "configuration:edge_requests_per_minute:above",
            "expr": "configuration:edge_requests_per_minute:sum > bool (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) * 3 > 0 * last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 3000 or 0 * last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 3000) == 1"
          },
          {
            "record": "configuration:edge_requests_per_minute:active",
            "expr": "clamp_max(sum_over_time(configuration:edge_requests_per_minute:above[11m30s]) >= 6, 1)"
          },
          {
            "record": "configuration:edge_requests_per_minute:since",
            "expr": "(last_over_time(configuration:edge_requests_per_minute:since[59m30s]) or time() + 0 * configuration:edge_requests_per_minute:active) and configuration:edge_requests_per_minute:active"
          },
          {
            "record": "configuration:edge_requests_per_minute:accepted",
            "expr": "time() - configuration:edge_requests_per_minute:since > bool 172800 == 1"
          },
          {
            "record": "account:edge_requests_per_minute:sum",
            "expr": "sum by (account, product) (configuration:edge_requests_per_minute:sum)"
          },
          {
            "record": "account:edge_requests_per_minute:above",
            "expr": "account:edge_requests_per_minute:sum > bool (last_over_time(account:edge_requests_per_minute:usual[12m30s]) * 3 > 0 * last_over_time(account:edge_requests_per_minute:usual[12m30s]) + 3000 or 0 * last_over_time(account:edge_requests_per_minute:usual[12m30s]) + 3000) == 1"
          },
          {
            "record": "account:edge_requests_per_minute:active",
            "expr": "clamp_max(sum_over_time(account:edge_requests_per_minute:above[11m30s]) >= 6, 1)"
          },
          {
            "record": "account:edge_requests_per_minute:since",
            "expr": "(last_over_time(account:edge_requests_per_minute:since[59m30s]) or time() + 0 * account:edge_requests_per_minute:active) and account:edge_requests_per_minute:active"
          },
          {
            "record": "account:edge_requests_per_minute:accepted",
            "expr": "time() - account:edge_requests_per_minute:since > bool 172800 == 1"
          },
          {
            "record": "configuration:edge_waf_threats_per_minute:sum",
            "expr": "sum by (account, product, configuration) (max by (account, product, configuration, configuration_id) (edge_waf_threats_per_minute))"
          },
          {
            "record": "configuration:edge_waf_threats_per_minute:above",
            "expr": "configuration:edge_waf_threats_per_minute:sum > bool (last_over_time(configuration:edge_waf_threats_per_minute:threshold[12m30s]) * on (account, product, configuration) (0.5 * ((configuration:edge_requests_per_minute:sum - configuration:edge_waf_threats_per_minute:sum) + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30) > 1) or last_over_time(configuration:edge_waf_threats_per_minute:threshold[12m30s])) == 1"
          },
          {
            "record": "configuration:edge_waf_threats_per_minute:at_least",
            "expr": "sum by (account, product, configuration) (max by (account, product, configuration, configuration_id) (edge_waf_threats_at_least_per_minute))"
          },
          {
            "record": "configuration:edge_waf_threats_per_minute:certain",
            "expr": "configuration:edge_waf_threats_per_minute:at_least > bool (last_over_time(configuration:edge_waf_threats_per_minute:threshold[12m30s]) * on (account, product, configuration) (0.5 * ((configuration:edge_requests_per_minute:sum - configuration:edge_waf_threats_per_minute:sum) + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30) > 1) or last_over_time(configuration:edge_waf_threats_per_minute:threshold[12m30s])) == 1"
          },
          {
            "record": "configuration:edge_waf_threats_per_minute:active",
            "expr": "clamp_max(sum_over_time(configuration:edge_waf_threats_per_minute:above[11m30s]) >= on (account, product) group_left () (0 * (max by (account, product) (sum_over_time(configuration:edge_waf_threats_per_minute:above[11m30s]) and avg_over_time(configuration:edge_waf_threats_per_minute:sum[11m30s]) > last_over_time(configuration:edge_waf_threats_per_minute:threshold[12m30s])) >= 6) + 3) or sum_over_time(configuration:edge_waf_threats_per_minute:above[11m30s]) >= 6 and configuration:edge_waf_threats_per_minute:active, 1)\nor\nclamp_max(sum_over_time(configuration:edge_waf_threats_per_minute:certain[11m30s]) >= on (account, product) group_left () (0 * (max by (account, product) (sum_over_time(configuration:edge_waf_threats_per_minute:certain[11m30s]) and avg_over_time(configuration:edge_waf_threats_per_minute:at_least[11m30s]) > last_over_time(configuration:edge_waf_threats_per_minute:threshold[12m30s])) >= 6) + 3) or sum_over_time(configuration:edge_waf_threats_per_minute:certain[11m30s]) >= 6 and configuration:edge_waf_threats_per_minute:active, 1)"
          },
          {
            "record": "configuration:edge_waf_threats_per_minute:rising",
            "expr": "clamp_max(\n(quantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[29m30s]) > last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]) * 3 > 40 / 2\nand\nquantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[29m30s]) > 1.1 * quantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[29m30s] offset 30m)\nand\nquantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[29m30s] offset 30m) > 1.1 * quantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[29m30s] offset 1h)\nand\nquantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[29m30s] offset 1h) > 1.1 * quantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[29m30s] offset 1h30m)\nand\nquantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[29m30s] offset 1h) > 2 * last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]) + 4\nor\navg_over_time(configuration:edge_waf_threats_per_minute:sum[4m30s]) > last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]) * 3 > 40 / 2 and configuration:edge_waf_threats_per_minute:rising)\nunless\navg_over_time(configuration:edge_waf_threats_per_minute:sum[4m30s]) <= ((last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]) * 1.5) * on (account, product, configuration) (1 * ((avg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) - avg_over_time(configuration:edge_waf_threats_per_minute:sum[4m30s])) + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30) > 1) or (last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]) * 1.5)), 1)"
          },
          {
            "record": "configuration:edge_waf_threats_per_minute:since",
            "expr": "(last_over_time(configuration:edge_waf_threats_per_minute:since[59m30s]) or time() + 0 * (configuration:edge_waf_threats_per_minute:active or configuration:edge_waf_threats_per_minute:rising)) and (configuration:edge_waf_threats_per_minute:active or configuration:edge_waf_threats_per_minute:rising)"
          },
          {
            "record": "configuration:edge_waf_threats_per_minute:accepted",
            "expr": "time() - configuration:edge_waf_threats_per_minute:since > bool 172800 == 1\nor\nconfiguration:edge_waf_threats_per_minute:sum and on (account) account:edge_waf_ruleset_changed:relearning"
          },
          {
            "record": "account:edge_waf_threats_per_minute:sum",
            "expr": "sum by (account, product) (configuration:edge_waf_threats_per_minute:sum)"
          },
          {
            "record": "account:edge_waf_threats_per_minute:above",
            "expr": "account:edge_waf_threats_per_minute:sum > bool (last_over_time(account:edge_waf_threats_per_minute:threshold[12m30s]) + sum by (account, product) (last_over_time(configuration:edge_waf_threats_per_minute:threshold[12m30s]) * on (account, product, configuration) (0.5 * ((configuration:edge_requests_per_minute:sum - configuration:edge_waf_threats_per_minute:sum) + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30) > 1)) or last_over_time(account:edge_waf_threats_per_minute:threshold[12m30s])) == 1"
          },
          {
            "record": "account:edge_waf_threats_per_minute:at_least",
            "expr": "sum by (account, product) (configuration:edge_waf_threats_per_minute:at_least)"
          },
          {
            "record": "account:edge_waf_threats_per_minute:certain",
            "expr": "account:edge_waf_threats_per_minute:at_least > bool (last_over_time(account:edge_waf_threats_per_minute:threshold[12m30s]) + sum by (account, product) (last_over_time(configuration:edge_waf_threats_per_minute:threshold[12m30s]) * on (account, product, configuration) (0.5 * ((configuration:edge_requests_per_minute:sum - configuration:edge_waf_threats_per_minute:sum) + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30) > 1)) or last_over_time(account:edge_waf_threats_per_minute:threshold[12m30s])) == 1"
          },
          {
            "record": "account:edge_waf_threats_per_minute:active",
            "expr": "clamp_max(sum_over_time(account:edge_waf_threats_per_minute:above[11m30s]) >= 6 and (avg_over_time(account:edge_waf_threats_per_minute:sum[11m30s]) > last_over_time(account:edge_waf_threats_per_minute:threshold[12m30s]) or account:edge_waf_threats_per_minute:active), 1)\nor\nclamp_max(sum_over_time(account:edge_waf_threats_per_minute:certain[11m30s]) >= 6 and (avg_over_time(account:edge_waf_threats_per_minute:at_least[11m30s]) > last_over_time(account:edge_waf_threats_per_minute:threshold[12m30s]) or account:edge_waf_threats_per_minute:active), 1)"
          },
          {
            "record": "account:edge_waf_threats_per_minute:rising",
            "expr": "clamp_max(\n(quantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[29m30s]) > last_over_time(account:edge_waf_threats_per_minute:usual[12m30s]) * 3 > 40 / 2\nand\nquantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[29m30s]) > 1.1 * quantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[29m30s] offset 30m)\nand\nquantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[29m30s] offset 30m) > 1.1 * quantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[29m30s] offset 1h)\nand\nquantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[29m30s] offset 1h) > 1.1 * quantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[29m30s] offset 1h30m)\nand\nquantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[29m30s] offset 1h) > 2 * last_over_time(account:edge_waf_threats_per_minute:usual[12m30s]) + 4\nor\navg_over_time(account:edge_waf_threats_per_minute:sum[4m30s]) > last_over_time(account:edge_waf_threats_per_minute:usual[12m30s]) * 3 > 40 / 2 and account:edge_waf_threats_per_minute:rising)\nunless\navg_over_time(account:edge_waf_threats_per_minute:sum[4m30s]) <= ((last_over_time(account:edge_waf_threats_per_minute:usual[12m30s]) * 1.5) + sum by (account, product) ((last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]) * 1.5) * on (account, product, configuration) (1 * ((avg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) - avg_over_time(configuration:edge_waf_threats_per_minute:sum[4m30s])) + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30) > 1)) or (last_over_time(account:edge_waf_threats_per_minute:usual[12m30s]) * 1.5)), 1)"
          },
          {
            "record": "account:edge_waf_threats_per_minute:since",
            "expr": "(last_over_time(account:edge_waf_threats_per_minute:since[59m30s]) or time() + 0 * (account:edge_waf_threats_per_minute:active or account:edge_waf_threats_per_minute:rising)) and (account:edge_waf_threats_per_minute:active or account:edge_waf_threats_per_minute:rising)"
          },
          {
            "record": "account:edge_waf_threats_per_minute:accepted",
            "expr": "time() - account:edge_waf_threats_per_minute:since > bool 172800 == 1\nor\naccount:edge_waf_threats_per_minute:sum and on (account) account:edge_waf_ruleset_changed:relearning"
          },
          {
            "record": "configuration:edge_waf_blocked_per_minute:sum",
            "expr": "sum by (account, product, configuration) (max by (account, product, configuration, configuration_id) (edge_waf_blocked_per_minute)) >= 10"
          },
          {
            "record": "configuration:edge_waf_blocked_per_minute:above",
            "expr": "configuration:edge_waf_blocked_per_minute:sum > bool ((last_over_time(configuration:edge_waf_blocked_per_minute:threshold[12m30s]) > 0 * (configuration:edge_waf_blocked_per_minute:sum) + 40 or 0 * (configuration:edge_waf_blocked_per_minute:sum) + 40) * on (account, product, configuration) (0.5 * (configuration:edge_requests_per_minute:sum + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30) > 1) or (last_over_time(configuration:edge_waf_blocked_per_minute:threshold[12m30s]) > 0 * (configuration:edge_waf_blocked_per_minute:sum) + 40 or 0 * (configuration:edge_waf_blocked_per_minute:sum) + 40)) == 1"
          },
          {
            "record": "configuration:edge_waf_blocked_per_minute:active",
            "expr": "clamp_max(sum_over_time(configuration:edge_waf_blocked_per_minute:above[11m30s]) >= 6, 1)"
          },
          {
            "record": "configuration:edge_waf_blocked_per_minute:since",
            "expr": "(last_over_time(configuration:edge_waf_blocked_per_minute:since[59m30s]) or time() + 0 * configuration:edge_waf_blocked_per_minute:active) and configuration:edge_waf_blocked_per_minute:active"
          },
          {
            "record": "configuration:edge_waf_blocked_per_minute:accepted",
            "expr": "time() - configuration:edge_waf_blocked_per_minute:since > bool 172800 == 1\nor\nconfiguration:edge_waf_blocked_per_minute:sum and on (account) account:edge_waf_ruleset_changed:relearning\nor\nconfiguration:edge_waf_blocked_per_minute:sum and on (account, product, configuration) configuration:edge_waf_threats_per_minute:accepted"
          },
          {
            "record": "configuration:edge_waf_threats_by_family_per_minute:sum",
            "expr": "sum by (account, product, configuration, family) (max by (account, product, configuration, configuration_id, family) (edge_waf_threats_by_family_per_minute)) >= 10"
          },
          {
            "record": "configuration:edge_waf_threats_by_family_per_minute:above",
            "expr": "configuration:edge_waf_threats_by_family_per_minute:sum > bool ((last_over_time(configuration:edge_waf_threats_by_family_per_minute:threshold[12m30s]) > 0 * (configuration:edge_waf_threats_by_family_per_minute:sum and on (account, product, configuration) last_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s] offset 10m)) + 40 or 0 * (configuration:edge_waf_threats_by_family_per_minute:sum and on (account, product, configuration) last_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s] offset 10m)) + 40) * on (account, product, configuration) group_left () (0.5 * (configuration:edge_requests_per_minute:sum + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30) > 1) or (last_over_time(configuration:edge_waf_threats_by_family_per_minute:threshold[12m30s]) > 0 * (configuration:edge_waf_threats_by_family_per_minute:sum and on (account, product, configuration) last_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s] offset 10m)) + 40 or 0 * (configuration:edge_waf_threats_by_family_per_minute:sum and on (account, product, configuration) last_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s] offset 10m)) + 40)) == 1"
          },
          {
            "record": "configuration:edge_waf_threats_by_family_per_minute:active",
            "expr": "clamp_max(sum_over_time(configuration:edge_waf_threats_by_family_per_minute:above[11m30s]) >= 6, 1)"
          },
          {
            "record": "configuration:edge_waf_threats_by_family_per_minute:since",
            "expr": "(last_over_time(configuration:edge_waf_threats_by_family_per_minute:since[59m30s]) or time() + 0 * configuration:edge_waf_threats_by_family_per_minute:active) and configuration:edge_waf_threats_by_family_per_minute:active"
          },
          {
            "record": "configuration:edge_waf_threats_by_family_per_minute:accepted",
            "expr": "time() - configuration:edge_waf_threats_by_family_per_minute:since > bool 172800 == 1\nor\nconfiguration:edge_waf_threats_by_family_per_minute:sum and on (account) account:edge_waf_ruleset_changed:relearning\nor\nconfiguration:edge_waf_threats_by_family_per_minute:sum and on (account, product, configuration) configuration:edge_waf_threats_per_minute:accepted"
          },
          {
            "record": "configuration:edge_error_responses_per_minute:sum",
            "expr": "sum by (account, product, configuration, class, code) (max by (account, product, configuration, configuration_id, class, code) (edge_responses_per_minute{class=~\"4xx|5xx\"})) >= 4"
          },
          {
            "record": "configuration:edge_error_responses_per_minute:above",
            "expr": "configuration:edge_error_responses_per_minute:sum > bool ((last_over_time(configuration:edge_error_responses_per_minute:threshold[12m30s]) > 0 * (configuration:edge_error_responses_per_minute:sum and on (account, product, configuration) last_over_time(configuration:edge_responses_per_minute:sum[59m30s] offset 10m)) + 60 or 0 * (configuration:edge_error_responses_per_minute:sum and on (account, product, configuration) last_over_time(configuration:edge_responses_per_minute:sum[59m30s] offset 10m)) + 60) * on (account, product, configuration) group_left () (0.5 * (configuration:edge_requests_per_minute:sum + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30) > 1) or (last_over_time(configuration:edge_error_responses_per_minute:threshold[12m30s]) > 0 * (configuration:edge_error_responses_per_minute:sum and on (account, product, configuration) last_over_time(configuration:edge_responses_per_minute:sum[59m30s] offset 10m)) + 60 or 0 * (configuration:edge_error_responses_per_minute:sum and on (account, product, configuration) last_over_time(configuration:edge_responses_per_minute:sum[59m30s] offset 10m)) + 60)) == 1"
          },
          {
            "record": "configuration:edge_error_responses_per_minute:active",
            "expr": "clamp_max(sum_over_time(configuration:edge_error_responses_per_minute:above[11m30s]) >= 6, 1)"
          },
          {
            "record": "configuration:edge_error_responses_per_minute:since",
            "expr": "(last_over_time(configuration:edge_error_responses_per_minute:since[59m30s]) or time() + 0 * configuration:edge_error_responses_per_minute:active) and configuration:edge_error_responses_per_minute:active"
          },
          {
            "record": "configuration:edge_error_responses_per_minute:accepted",
            "expr": "time() - configuration:edge_error_responses_per_minute:since > bool 172800 == 1\nor\nconfiguration:edge_error_responses_per_minute:sum{code=~\"403|other\"} and on (account) account:edge_waf_ruleset_changed:relearning\nor\nconfiguration:edge_error_responses_per_minute:sum{class=\"4xx\"} and on (account, product, configuration) configuration:edge_waf_threats_per_minute:accepted"
          },
          {
            "record": "configuration:edge_client_error_ratio:now",
            "expr": "(sum by (account, product, configuration) (max by (account, product, configuration, configuration_id, class, code) (edge_responses_per_minute{class=\"4xx\"})) - sum by (account, product, configuration) (max by (account, product, configuration, configuration_id) (edge_waf_blocked_per_minute)) or sum by (account, product, configuration) (max by (account, product, configuration, configuration_id, class, code) (edge_responses_per_minute{class=\"4xx\"})))\n/\n(configuration:edge_responses_per_minute:sum >= 200)\n>= 0.05"
          },
          {
            "record": "configuration:edge_client_error_ratio:above",
            "expr": "configuration:edge_client_error_ratio:now > bool (last_over_time(configuration:edge_client_error_ratio:threshold[12m30s]) > 0 * (configuration:edge_client_error_ratio:now) + 0.2 or 0 * (configuration:edge_client_error_ratio:now) + 0.2) == 1"
          },
          {
            "record": "configuration:edge_client_error_ratio:active",
            "expr": "clamp_max(sum_over_time(configuration:edge_client_error_ratio:above[11m30s]) >= 6, 1)"
          },
          {
            "record": "configuration:edge_client_error_ratio:since",
            "expr": "(last_over_time(configuration:edge_client_error_ratio:since[59m30s]) or time() + 0 * configuration:edge_client_error_ratio:active) and configuration:edge_client_error_ratio:active"
          },
          {
            "record": "configuration:edge_client_error_ratio:accepted",
            "expr": "time() - configuration:edge_client_error_ratio:since > bool 172800 == 1"
          },
          {
            "record": "configuration:edge_cache_miss_ratio:now",
            "expr": "sum by (account, product, configuration) (max by (account, product, configuration, configuration_id, cache) (edge_requests_by_cache_per_minute{cache=\"missed\"}))\n/\n(sum by (account, product, configuration) (max by (account, product, configuration, configuration_id, cache) (edge_requests_by_cache_per_minute)) >= 300)"
          },
          {
            "record": "configuration:edge_cache_miss_ratio:above",
            "expr": "configuration:edge_cache_miss_ratio:now > bool last_over_time(configuration:edge_cache_miss_ratio:threshold[12m30s]) == 1"
          },
          {
            "record": "configuration:edge_cache_miss_ratio:active",
            "expr": "clamp_max(sum_over_time(configuration:edge_cache_miss_ratio:above[11m30s]) >= 6, 1)"
          },
          {
            "record": "configuration:edge_cache_miss_ratio:since",
            "expr": "(last_over_time(configuration:edge_cache_miss_ratio:since[59m30s]) or time() + 0 * configuration:edge_cache_miss_ratio:active) and configuration:edge_cache_miss_ratio:active"
          },
          {
            "record": "configuration:edge_cache_miss_ratio:accepted",
            "expr": "time() - configuration:edge_cache_miss_ratio:since > bool 172800 == 1"
          }
        ]
      },
      {
        "name": "edge-freshness",
        "interval": "1m",
        "rules": [
          {
            "record": "configuration:edge_data_age_seconds:max",
            "expr": "time() - min by (account, product, configuration, metric) (max by (account, product, configuration, metric, configuration_id) (\n  edge_data_until_timestamp_seconds{metric=~\"waf\"}\n  or\n  edge_data_until_timestamp_seconds{metric=~\"status_code\"}\n  or\n  label_replace(edge_data_until_timestamp_seconds{metric=~\"requests|cdn_requests\"}, \"metric\", \"requests\", \"\", \"\")\n)) > 600"
          },
          {
            "record": "configuration:edge_data_age_seconds:stale",
            "expr": "configuration:edge_data_age_seconds:max > 600\nunless\nconfiguration:edge_data_age_seconds:max <= on (account, product, metric) group_left () 1.5 * max by (account, product, metric) (\n  edge_expected_age_seconds{metric=~\"waf\"}\n  or\n  edge_expected_age_seconds{metric=~\"status_code\"}\n  or\n  label_replace(edge_expected_age_seconds{metric=~\"requests|cdn_requests\"}, \"metric\", \"requests\", \"\", \"\")\n)\nor\n0 * (max by (account, product, configuration, metric) (\n  (edge_data_until_timestamp_seconds{metric=~\"waf\"} offset 1h\n  or\n  edge_data_until_timestamp_seconds{metric=~\"status_code\"} offset 1h\n  or\n  label_replace(edge_data_until_timestamp_seconds{metric=~\"requests|cdn_requests\"} offset 1h, \"metric\", \"requests\", \"\", \"\")\n  or\n  edge_data_until_timestamp_seconds{metric=~\"waf\"} offset 1d\n  or\n  edge_data_until_timestamp_seconds{metric=~\"status_code\"} offset 1d\n  or\n  label_replace(edge_data_until_timestamp_seconds{metric=~\"requests|cdn_requests\"} offset 1d, \"metric\", \"requests\", \"\", \"\"))\n  and on (account, product, configuration) edge_configuration_info{active!=\"false\"}\n) unless on (account, product, configuration, metric)\n(\n  edge_data_until_timestamp_seconds{metric=~\"waf\"}\n  or\n  edge_data_until_timestamp_seconds{metric=~\"status_code\"}\n  or\n  label_replace(edge_data_until_timestamp_seconds{metric=~\"requests|cdn_requests\"}, \"metric\", \"requests\", \"\", \"\")\n)) + 600"
          }
        ]
      },
      {
        "name": "edge-error-ratios-long",
        "interval": "5m",
        "rules": [
          {
            "record": "configuration:edge_server_error_ratio:avg6h",
            "expr": "avg_over_time(configuration:edge_server_errors_per_minute:sum[5h59m30s])\n/\n(avg_over_time(configuration:edge_responses_per_minute:sum[5h59m30s]) > 0)"
          },
          {
            "record": "configuration:edge_server_error_ratio:always",
            "expr": "quantile_over_time(0.5, configuration:edge_server_error_ratio:avg6h[2d23h57m30s])\nand last_over_time(configuration:edge_server_error_ratio:avg6h[2d23h57m30s] offset 6h)"
          },
          {
            "record": "account:edge_server_error_ratio:avg6h",
            "expr": "avg_over_time(account:edge_server_errors_per_minute:sum[5h59m30s])\n/\n(avg_over_time(account:edge_responses_per_minute:sum[5h59m30s]) > 0)"
          },
          {
            "record": "account:edge_server_error_ratio:always",
            "expr": "quantile_over_time(0.5, account:edge_server_error_ratio:avg6h[2d23h57m30s])\nand last_over_time(account:edge_server_error_ratio:avg6h[2d23h57m30s] offset 6h)"
          }
        ]
      },
      {
        "name": "edge-error-ratios",
        "interval": "1m",
        "rules": [
          {
            "record": "configuration:edge_server_error_ratio:avg5m",
            "expr": "avg_over_time(configuration:edge_server_errors_per_minute:sum[4m30s])\n/\n(avg_over_time(configuration:edge_responses_per_minute:sum[4m30s]) > 0)"
          },
          {
            "record": "configuration:edge_server_errors_per_minute:failing",
            "expr": "configuration:edge_server_errors_per_minute:sum > bool configuration:edge_responses_per_minute:sum * 0.006 == 1"
          },
          {
            "record": "configuration:edge_server_errors_per_minute:paging",
            "expr": "configuration:edge_server_error_ratio:avg5m > 0.0144\nand\navg_over_time(configuration:edge_server_errors_per_minute:sum[29m30s])\n/\n(avg_over_time(configuration:edge_responses_per_minute:sum[29m30s]) > 0) > 0.0144\nand\n(sum_over_time(configuration:edge_server_errors_per_minute:failing[9m30s]) >= 5 or sum_over_time(configuration:edge_server_errors_per_minute:failing[59m30s]) >= 8)\nand\navg_over_time(configuration:edge_server_errors_per_minute:sum[4m30s]) >= 1.5\nand\n(avg_over_time(configuration:edge_server_errors_per_minute:sum[29m30s]) - 3 * (last_over_time(configuration:edge_server_error_ratio:always[12m30s] offset 6h) or last_over_time(configuration:edge_server_error_ratio:always[12m30s])) * avg_over_time(configuration:edge_responses_per_minute:sum[29m30s]) or avg_over_time(configuration:edge_server_errors_per_minute:sum[29m30s])) >= 0.5\nand\navg_over_time(configuration:edge_responses_per_minute:sum[29m30s]) >= 10\nor\nconfiguration:edge_server_error_ratio:avg5m > 0.006\nand\navg_over_time(configuration:edge_server_errors_per_minute:sum[29m30s])\n/\n(avg_over_time(configuration:edge_responses_per_minute:sum[29m30s]) > 0) > 0.006\nand\navg_over_time(configuration:edge_server_errors_per_minute:sum[5h59m30s])\n/\n(avg_over_time(configuration:edge_responses_per_minute:sum[5h59m30s]) > 0) > 0.006\nand\nsum_over_time(configuration:edge_server_errors_per_minute:failing[29m30s]) >= 10\nand\navg_over_time(configuration:edge_server_errors_per_minute:sum[29m30s]) - 3 * (last_over_time(configuration:edge_server_error_ratio:always[12m30s] offset 6h) or last_over_time(configuration:edge_server_error_ratio:always[12m30s])) * avg_over_time(configuration:edge_responses_per_minute:sum[29m30s]) >= 0.5\nand\navg_over_time(configuration:edge_responses_per_minute:sum[29m30s]) >= 10\nor\nconfiguration:edge_server_error_ratio:avg5m > 0.5\nand\navg_over_time(configuration:edge_server_errors_per_minute:sum[14m30s])\n/\n(avg_over_time(configuration:edge_responses_per_minute:sum[14m30s]) > 0) >= 0.5\nand\nsum_over_time(configuration:edge_server_errors_per_minute:sum[14m30s]) >= 10\nand\nsum_over_time(configuration:edge_server_errors_per_minute:failing[14m30s]) >= 5\nor\navg_over_time(configuration:edge_server_errors_per_minute:sum[14m30s])\n/\n(avg_over_time(configuration:edge_responses_per_minute:sum[14m30s]) > 0) >= 0.35\nand\navg_over_time(configuration:edge_responses_per_minute:sum[29m30s]) < 10\nand\nlast_over_time(configuration:edge_server_errors_per_minute:paging[9m30s])"
          },
          {
            "record": "account:edge_server_error_ratio:avg5m",
            "expr": "avg_over_time(account:edge_server_errors_per_minute:sum[4m30s])\n/\n(avg_over_time(account:edge_responses_per_minute:sum[4m30s]) > 0)"
          },
          {
            "record": "account:edge_server_errors_per_minute:failing",
            "expr": "account:edge_server_errors_per_minute:sum > bool account:edge_responses_per_minute:sum * 0.006 == 1"
          },
          {
            "record": "account:edge_server_errors_per_minute:paging",
            "expr": "account:edge_server_error_ratio:avg5m > 0.0144\nand\navg_over_time(account:edge_server_errors_per_minute:sum[29m30s])\n/\n(avg_over_time(account:edge_responses_per_minute:sum[29m30s]) > 0) > 0.0144\nand\n(sum_over_time(account:edge_server_errors_per_minute:failing[9m30s]) >= 5 or sum_over_time(account:edge_server_errors_per_minute:failing[59m30s]) >= 8)\nand\navg_over_time(account:edge_server_errors_per_minute:sum[4m30s]) >= 15\nand\n(avg_over_time(account:edge_server_errors_per_minute:sum[29m30s]) - 3 * (last_over_time(account:edge_server_error_ratio:always[12m30s] offset 6h) or last_over_time(account:edge_server_error_ratio:always[12m30s])) * avg_over_time(account:edge_responses_per_minute:sum[29m30s]) or avg_over_time(account:edge_server_errors_per_minute:sum[29m30s])) >= 5\nand\navg_over_time(account:edge_responses_per_minute:sum[29m30s]) >= 10\nor\naccount:edge_server_error_ratio:avg5m > 0.006\nand\navg_over_time(account:edge_server_errors_per_minute:sum[29m30s])\n/\n(avg_over_time(account:edge_responses_per_minute:sum[29m30s]) > 0) > 0.006\nand\navg_over_time(account:edge_server_errors_per_minute:sum[5h59m30s])\n/\n(avg_over_time(account:edge_responses_per_minute:sum[5h59m30s]) > 0) > 0.006\nand\nsum_over_time(account:edge_server_errors_per_minute:failing[29m30s]) >= 10\nand\navg_over_time(account:edge_server_errors_per_minute:sum[29m30s]) - 3 * (last_over_time(account:edge_server_error_ratio:always[12m30s] offset 6h) or last_over_time(account:edge_server_error_ratio:always[12m30s])) * avg_over_time(account:edge_responses_per_minute:sum[29m30s]) >= 10\nand\navg_over_time(account:edge_responses_per_minute:sum[29m30s]) >= 10"
          }
        ]
      },
      {
        "name": "edge-origins",
        "interval": "1m",
        "rules": [
          {
            "record": "configuration:edge_upstream_responses_per_minute:sum",
            "expr": "sum by (account, product, configuration) (max by (account, product, configuration, configuration_id, class, code) (edge_upstream_responses_per_minute))"
          },
          {
            "record": "configuration:edge_upstream_errors_per_minute:sum",
            "expr": "sum by (account, product, configuration) (max by (account, product, configuration, configuration_id, class, code) (edge_upstream_responses_per_minute{class=\"5xx\"}))"
          },
          {
            "record": "configuration:edge_upstream_response_seconds_per_minute:sum",
            "expr": "sum by (account, product, configuration) (max by (account, product, configuration, configuration_id) (edge_upstream_response_seconds_per_minute))"
          },
          {
            "record": "configuration:edge_upstream_error_ratio:avg5m",
            "expr": "avg_over_time(configuration:edge_upstream_errors_per_minute:sum[4m30s])\n/\n(avg_over_time(configuration:edge_upstream_responses_per_minute:sum[4m30s]) >= 10)"
          },
          {
            "record": "configuration:edge_upstream_response_seconds:avg5m",
            "expr": "avg_over_time(configuration:edge_upstream_response_seconds_per_minute:sum[4m30s])\n/\n(avg_over_time(configuration:edge_upstream_responses_per_minute:sum[4m30s]) >= 10)"
          }
        ]
      },
      {
        "name": "edge-origins-usual",
        "interval": "5m",
        "rules": [
          {
            "record": "configuration:edge_upstream_response_seconds:usual",
            "expr": "quantile_over_time(0.5, configuration:edge_upstream_response_seconds:avg5m[23h59m30s])"
          }
        ]
      },
      {
        "name": "edge-baseline-edge_requests_per_minute",
        "interval": "5m",
        "rules": [
          {
            "record": "configuration:edge_requests_per_minute:avg1h",
            "expr": "avg_over_time(configuration:edge_requests_per_minute:sum[59m30s]) - avg_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s])\nor\navg_over_time(configuration:edge_requests_per_minute:sum[59m30s])"
          },
          {
            "record": "configuration:edge_requests_per_minute:usual",
            "expr": "last_over_time(configuration:edge_requests_per_minute:avg1h[5h57m30s] offset 10m) and last_over_time(configuration:edge_requests_per_minute:accepted[23h59m30s])\nor\nconfiguration:edge_requests_per_minute:avg1h offset 23h30m and last_over_time(configuration:edge_requests_per_minute:accepted[2w6d23h59m30s])\nor\nquantile without (part) (0.5,\n  label_replace(configuration:edge_requests_per_minute:avg1h offset 6d23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(configuration:edge_requests_per_minute:avg1h offset 1w6d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(configuration:edge_requests_per_minute:avg1h offset 2w6d23h30m, \"part\", \"3\", \"\", \"\")\n  or\n  label_replace(configuration:edge_requests_per_minute:avg1h offset 23h30m, \"part\", \"yesterday\", \"\", \"\")\n) and configuration:edge_requests_per_minute:avg1h offset 6d23h30m\nor\nmax without (part) (\n  label_replace(configuration:edge_requests_per_minute:avg1h offset 23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(configuration:edge_requests_per_minute:avg1h offset 1d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(configuration:edge_requests_per_minute:avg1h offset 2d23h30m, \"part\", \"3\", \"\", \"\")\n)\nor\nlast_over_time(configuration:edge_requests_per_minute:avg1h[5h57m30s] offset 10m)"
          },
          {
            "record": "account:edge_requests_per_minute:avg1h",
            "expr": "avg_over_time(account:edge_requests_per_minute:sum[59m30s]) - avg_over_time(account:edge_waf_threats_per_minute:sum[59m30s])\nor\navg_over_time(account:edge_requests_per_minute:sum[59m30s])"
          },
          {
            "record": "account:edge_requests_per_minute:usual",
            "expr": "last_over_time(account:edge_requests_per_minute:avg1h[5h57m30s] offset 10m) and last_over_time(account:edge_requests_per_minute:accepted[23h59m30s])\nor\naccount:edge_requests_per_minute:avg1h offset 23h30m and last_over_time(account:edge_requests_per_minute:accepted[2w6d23h59m30s])\nor\nquantile without (part) (0.5,\n  label_replace(account:edge_requests_per_minute:avg1h offset 6d23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(account:edge_requests_per_minute:avg1h offset 1w6d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(account:edge_requests_per_minute:avg1h offset 2w6d23h30m, \"part\", \"3\", \"\", \"\")\n  or\n  label_replace(account:edge_requests_per_minute:avg1h offset 23h30m, \"part\", \"yesterday\", \"\", \"\")\n) and account:edge_requests_per_minute:avg1h offset 6d23h30m\nor\nmax without (part) (\n  label_replace(account:edge_requests_per_minute:avg1h offset 23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(account:edge_requests_per_minute:avg1h offset 1d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(account:edge_requests_per_minute:avg1h offset 2d23h30m, \"part\", \"3\", \"\", \"\")\n)\nor\nlast_over_time(account:edge_requests_per_minute:avg1h[5h57m30s] offset 10m)"
          }
        ]
      },
      {
        "name": "edge-baseline-edge_waf_threats_per_minute",
        "interval": "5m",
        "rules": [
          {
            "record": "configuration:edge_waf_threats_per_minute:covered",
            "expr": "clamp_max((sum_over_time(configuration:edge_waf_threats_per_minute:above[59m30s]) >= 3 or last_over_time(configuration:edge_waf_threats_per_minute:since[59m30s])) unless last_over_time(configuration:edge_waf_threats_per_minute:accepted[59m30s]), 1)"
          },
          {
            "record": "configuration:edge_waf_threats_per_minute:avg1h",
            "expr": "avg_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s])\nunless configuration:edge_waf_threats_per_minute:covered"
          },
          {
            "record": "configuration:edge_waf_threats_per_minute:usual",
            "expr": "(last_over_time(configuration:edge_waf_threats_per_minute:avg1h[5h57m30s] offset 10m) * on (account, product, configuration) clamp_min(last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s] offset 40m) > 0), 1) or last_over_time(configuration:edge_waf_threats_per_minute:avg1h[5h57m30s] offset 10m)) and last_over_time(configuration:edge_waf_threats_per_minute:accepted[23h59m30s])\nor\nconfiguration:edge_waf_threats_per_minute:avg1h offset 23h30m and last_over_time(configuration:edge_waf_threats_per_minute:accepted[2w6d23h59m30s])\nor\nquantile without (part) (0.5,\n  label_replace(configuration:edge_waf_threats_per_minute:avg1h offset 6d23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_threats_per_minute:avg1h offset 1w6d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_threats_per_minute:avg1h offset 2w6d23h30m, \"part\", \"3\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_threats_per_minute:avg1h offset 23h30m, \"part\", \"yesterday\", \"\", \"\")\n) and configuration:edge_waf_threats_per_minute:avg1h offset 6d23h30m\nor\nmax without (part) (\n  label_replace(configuration:edge_waf_threats_per_minute:avg1h offset 23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_threats_per_minute:avg1h offset 1d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_threats_per_minute:avg1h offset 2d23h30m, \"part\", \"3\", \"\", \"\")\n)\nor\nlast_over_time(configuration:edge_waf_threats_per_minute:avg1h[5h57m30s] offset 10m)"
          },
          {
            "record": "configuration:edge_waf_threats_per_minute:threshold",
            "expr": "max without (part) (\n  label_replace(configuration:edge_waf_threats_per_minute:usual * 3, \"part\", \"usual\", \"\", \"\")\n  or\n  label_replace(last_over_time(configuration:edge_waf_threats_per_minute:avg1h[57m30s] offset 10m) * 3 * 0.75, \"part\", \"recent\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_threats_per_minute:usual + 4 * stddev_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s] offset 10m) unless configuration:edge_waf_threats_per_minute:covered, \"part\", \"noise\", \"\", \"\")\n  or\n  label_replace(0 * configuration:edge_waf_threats_per_minute:usual + 40, \"part\", \"floor\", \"\", \"\")\n)"
          },
          {
            "record": "account:edge_waf_threats_per_minute:covered",
            "expr": "clamp_max((sum_over_time(account:edge_waf_threats_per_minute:above[59m30s]) >= 3 or last_over_time(account:edge_waf_threats_per_minute:since[59m30s])) unless last_over_time(account:edge_waf_threats_per_minute:accepted[59m30s]), 1)"
          },
          {
            "record": "account:edge_waf_threats_per_minute:avg1h",
            "expr": "avg_over_time(account:edge_waf_threats_per_minute:sum[59m30s])\nunless account:edge_waf_threats_per_minute:covered"
          },
          {
            "record": "account:edge_waf_threats_per_minute:usual",
            "expr": "(last_over_time(account:edge_waf_threats_per_minute:avg1h[5h57m30s] offset 10m) * on (account, product) clamp_min(last_over_time(account:edge_requests_per_minute:usual[12m30s]) / (last_over_time(account:edge_requests_per_minute:usual[12m30s] offset 40m) > 0), 1) or last_over_time(account:edge_waf_threats_per_minute:avg1h[5h57m30s] offset 10m)) and last_over_time(account:edge_waf_threats_per_minute:accepted[23h59m30s])\nor\naccount:edge_waf_threats_per_minute:avg1h offset 23h30m and last_over_time(account:edge_waf_threats_per_minute:accepted[2w6d23h59m30s])\nor\nquantile without (part) (0.5,\n  label_replace(account:edge_waf_threats_per_minute:avg1h offset 6d23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(account:edge_waf_threats_per_minute:avg1h offset 1w6d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(account:edge_waf_threats_per_minute:avg1h offset 2w6d23h30m, \"part\", \"3\", \"\", \"\")\n  or\n  label_replace(account:edge_waf_threats_per_minute:avg1h offset 23h30m, \"part\", \"yesterday\", \"\", \"\")\n) and account:edge_waf_threats_per_minute:avg1h offset 6d23h30m\nor\nmax without (part) (\n  label_replace(account:edge_waf_threats_per_minute:avg1h offset 23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(account:edge_waf_threats_per_minute:avg1h offset 1d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(account:edge_waf_threats_per_minute:avg1h offset 2d23h30m, \"part\", \"3\", \"\", \"\")\n)\nor\nlast_over_time(account:edge_waf_threats_per_minute:avg1h[5h57m30s] offset 10m)"
          },
          {
            "record": "account:edge_waf_threats_per_minute:threshold",
            "expr": "max without (part) (\n  label_replace(account:edge_waf_threats_per_minute:usual * 3, \"part\", \"usual\", \"\", \"\")\n  or\n  label_replace(last_over_time(account:edge_waf_threats_per_minute:avg1h[57m30s] offset 10m) * 3 * 0.75, \"part\", \"recent\", \"\", \"\")\n  or\n  label_replace(account:edge_waf_threats_per_minute:usual + 4 * stddev_over_time(account:edge_waf_threats_per_minute:sum[59m30s] offset 10m) unless account:edge_waf_threats_per_minute:covered, \"part\", \"noise\", \"\", \"\")\n  or\n  label_replace(0 * account:edge_waf_threats_per_minute:usual + 40, \"part\", \"floor\", \"\", \"\")\n)"
          }
        ]
      },
      {
        "name": "edge-baseline-edge_waf_blocked_per_minute",
        "interval": "5m",
        "rules": [
          {
            "record": "configuration:edge_waf_blocked_per_minute:covered",
            "expr": "clamp_max((sum_over_time(configuration:edge_waf_blocked_per_minute:above[59m30s]) >= 3 or last_over_time(configuration:edge_waf_blocked_per_minute:since[59m30s])) unless last_over_time(configuration:edge_waf_blocked_per_minute:accepted[59m30s]), 1)"
          },
          {
            "record": "configuration:edge_waf_blocked_per_minute:avg1h",
            "expr": "sum_over_time(configuration:edge_waf_blocked_per_minute:sum[59m30s]) / on (account, product, configuration) count_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s])\nunless configuration:edge_waf_blocked_per_minute:covered"
          },
          {
            "record": "configuration:edge_waf_blocked_per_minute:threshold",
            "expr": "(\n(last_over_time(configuration:edge_waf_blocked_per_minute:avg1h[5h57m30s] offset 10m) * on (account, product, configuration) clamp_min(last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s] offset 40m) > 0), 1) or last_over_time(configuration:edge_waf_blocked_per_minute:avg1h[5h57m30s] offset 10m)) and last_over_time(configuration:edge_waf_blocked_per_minute:accepted[23h59m30s])\nor\nconfiguration:edge_waf_blocked_per_minute:avg1h offset 23h30m and last_over_time(configuration:edge_waf_blocked_per_minute:accepted[2w6d23h59m30s])\nor\nquantile without (part) (0.5,\n  label_replace(configuration:edge_waf_blocked_per_minute:avg1h offset 6d23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_blocked_per_minute:avg1h offset 1w6d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_blocked_per_minute:avg1h offset 2w6d23h30m, \"part\", \"3\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_blocked_per_minute:avg1h offset 23h30m, \"part\", \"yesterday\", \"\", \"\")\n) and configuration:edge_waf_blocked_per_minute:avg1h offset 6d23h30m\nor\nmax without (part) (\n  label_replace(configuration:edge_waf_blocked_per_minute:avg1h offset 23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_blocked_per_minute:avg1h offset 1d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_blocked_per_minute:avg1h offset 2d23h30m, \"part\", \"3\", \"\", \"\")\n)\nor\nlast_over_time(configuration:edge_waf_blocked_per_minute:avg1h[5h57m30s] offset 10m)\n) * 3"
          }
        ]
      },
      {
        "name": "edge-baseline-edge_waf_threats_by_family_per_minute",
        "interval": "5m",
        "rules": [
          {
            "record": "configuration:edge_waf_threats_by_family_per_minute:covered",
            "expr": "clamp_max((sum_over_time(configuration:edge_waf_threats_by_family_per_minute:above[59m30s]) >= 3 or last_over_time(configuration:edge_waf_threats_by_family_per_minute:since[59m30s])) unless last_over_time(configuration:edge_waf_threats_by_family_per_minute:accepted[59m30s]), 1)"
          },
          {
            "record": "configuration:edge_waf_threats_by_family_per_minute:avg1h",
            "expr": "sum_over_time(configuration:edge_waf_threats_by_family_per_minute:sum[59m30s]) / on (account, product, configuration) group_left () count_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s])\nunless configuration:edge_waf_threats_by_family_per_minute:covered"
          },
          {
            "record": "configuration:edge_waf_threats_by_family_per_minute:threshold",
            "expr": "(\n(last_over_time(configuration:edge_waf_threats_by_family_per_minute:avg1h[5h57m30s] offset 10m) * on (account, product, configuration) group_left () clamp_min(last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s] offset 40m) > 0), 1) or last_over_time(configuration:edge_waf_threats_by_family_per_minute:avg1h[5h57m30s] offset 10m)) and last_over_time(configuration:edge_waf_threats_by_family_per_minute:accepted[23h59m30s])\nor\nconfiguration:edge_waf_threats_by_family_per_minute:avg1h offset 23h30m and last_over_time(configuration:edge_waf_threats_by_family_per_minute:accepted[2w6d23h59m30s])\nor\nquantile without (part) (0.5,\n  label_replace(configuration:edge_waf_threats_by_family_per_minute:avg1h offset 6d23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_threats_by_family_per_minute:avg1h offset 1w6d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_threats_by_family_per_minute:avg1h offset 2w6d23h30m, \"part\", \"3\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_threats_by_family_per_minute:avg1h offset 23h30m, \"part\", \"yesterday\", \"\", \"\")\n) and configuration:edge_waf_threats_by_family_per_minute:avg1h offset 6d23h30m\nor\nmax without (part) (\n  label_replace(configuration:edge_waf_threats_by_family_per_minute:avg1h offset 23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_threats_by_family_per_minute:avg1h offset 1d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_threats_by_family_per_minute:avg1h offset 2d23h30m, \"part\", \"3\", \"\", \"\")\n)\nor\nlast_over_time(configuration:edge_waf_threats_by_family_per_minute:avg1h[5h57m30s] offset 10m)\n) * 3"
          }
        ]
      },
      {
        "name": "edge-baseline-edge_error_responses_per_minute",
        "interval": "5m",
        "rules": [
          {
            "record": "configuration:edge_error_responses_per_minute:covered",
            "expr": "clamp_max((sum_over_time(configuration:edge_error_responses_per_minute:above[59m30s]) >= 3 or last_over_time(configuration:edge_error_responses_per_minute:since[59m30s])) unless last_over_time(configuration:edge_error_responses_per_minute:accepted[59m30s]), 1)"
          },
          {
            "record": "configuration:edge_error_responses_per_minute:avg1h",
            "expr": "sum_over_time(configuration:edge_error_responses_per_minute:sum[59m30s]) / on (account, product, configuration) group_left () count_over_time(configuration:edge_responses_per_minute:sum[59m30s])\nunless configuration:edge_error_responses_per_minute:covered"
          },
          {
            "record": "configuration:edge_error_responses_per_minute:threshold",
            "expr": "(\n(last_over_time(configuration:edge_error_responses_per_minute:avg1h[5h57m30s] offset 10m) * on (account, product, configuration) group_left () clamp_min(last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s] offset 40m) > 0), 1) or last_over_time(configuration:edge_error_responses_per_minute:avg1h[5h57m30s] offset 10m)) and last_over_time(configuration:edge_error_responses_per_minute:accepted[23h59m30s])\nor\nconfiguration:edge_error_responses_per_minute:avg1h offset 23h30m and last_over_time(configuration:edge_error_responses_per_minute:accepted[2w6d23h59m30s])\nor\nquantile without (part) (0.5,\n  label_replace(configuration:edge_error_responses_per_minute:avg1h offset 6d23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(configuration:edge_error_responses_per_minute:avg1h offset 1w6d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(configuration:edge_error_responses_per_minute:avg1h offset 2w6d23h30m, \"part\", \"3\", \"\", \"\")\n  or\n  label_replace(configuration:edge_error_responses_per_minute:avg1h offset 23h30m, \"part\", \"yesterday\", \"\", \"\")\n) and configuration:edge_error_responses_per_minute:avg1h offset 6d23h30m\nor\nmax without (part) (\n  label_replace(configuration:edge_error_responses_per_minute:avg1h offset 23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(configuration:edge_error_responses_per_minute:avg1h offset 1d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(configuration:edge_error_responses_per_minute:avg1h offset 2d23h30m, \"part\", \"3\", \"\", \"\")\n)\nor\nlast_over_time(configuration:edge_error_responses_per_minute:avg1h[5h57m30s] offset 10m)\n) * 3"
          }
        ]
      },
      {
        "name": "edge-baseline-edge_client_error_ratio",
        "interval": "5m",
        "rules": [
          {
            "record": "configuration:edge_client_error_ratio:covered",
            "expr": "clamp_max((sum_over_time(configuration:edge_client_error_ratio:above[59m30s]) >= 3 or last_over_time(configuration:edge_client_error_ratio:since[59m30s])) unless last_over_time(configuration:edge_client_error_ratio:accepted[59m30s]), 1)"
          },
          {
            "record": "configuration:edge_client_error_ratio:avg1h",
            "expr": "sum_over_time(configuration:edge_client_error_ratio:now[59m30s]) / on (account, product, configuration) count_over_time(configuration:edge_responses_per_minute:sum[59m30s])\nunless configuration:edge_client_error_ratio:covered"
          },
          {
            "record": "configuration:edge_client_error_ratio:threshold",
            "expr": "(\nlast_over_time(configuration:edge_client_error_ratio:avg1h[5h57m30s] offset 10m) and last_over_time(configuration:edge_client_error_ratio:accepted[23h59m30s])\nor\nconfiguration:edge_client_error_ratio:avg1h offset 23h30m and last_over_time(configuration:edge_client_error_ratio:accepted[2w6d23h59m30s])\nor\nquantile without (part) (0.5,\n  label_replace(configuration:edge_client_error_ratio:avg1h offset 6d23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(configuration:edge_client_error_ratio:avg1h offset 1w6d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(configuration:edge_client_error_ratio:avg1h offset 2w6d23h30m, \"part\", \"3\", \"\", \"\")\n  or\n  label_replace(configuration:edge_client_error_ratio:avg1h offset 23h30m, \"part\", \"yesterday\", \"\", \"\")\n) and configuration:edge_client_error_ratio:avg1h offset 6d23h30m\nor\nmax without (part) (\n  label_replace(configuration:edge_client_error_ratio:avg1h offset 23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(configuration:edge_client_error_ratio:avg1h offset 1d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(configuration:edge_client_error_ratio:avg1h offset 2d23h30m, \"part\", \"3\", \"\", \"\")\n)\nor\nlast_over_time(configuration:edge_client_error_ratio:avg1h[5h57m30s] offset 10m)\n) * 3"
          }
        ]
      },
      {
        "name": "edge-baseline-edge_cache_miss_ratio",
        "interval": "5m",
        "rules": [
          {
            "record": "configuration:edge_cache_miss_ratio:covered",
            "expr": "clamp_max((sum_over_time(configuration:edge_cache_miss_ratio:above[59m30s]) >= 3 or last_over_time(configuration:edge_cache_miss_ratio:since[59m30s])) unless last_over_time(configuration:edge_cache_miss_ratio:accepted[59m30s]), 1)"
          },
          {
            "record": "configuration:edge_cache_miss_ratio:avg1h",
            "expr": "avg_over_time(configuration:edge_cache_miss_ratio:now[59m30s])\nunless configuration:edge_cache_miss_ratio:covered"
          },
          {
            "record": "configuration:edge_cache_miss_ratio:threshold",
            "expr": "(\nlast_over_time(configuration:edge_cache_miss_ratio:avg1h[5h57m30s] offset 10m) and last_over_time(configuration:edge_cache_miss_ratio:accepted[23h59m30s])\nor\nconfiguration:edge_cache_miss_ratio:avg1h offset 23h30m and last_over_time(configuration:edge_cache_miss_ratio:accepted[2w6d23h59m30s])\nor\nquantile without (part) (0.5,\n  label_replace(configuration:edge_cache_miss_ratio:avg1h offset 6d23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(configuration:edge_cache_miss_ratio:avg1h offset 1w6d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(configuration:edge_cache_miss_ratio:avg1h offset 2w6d23h30m, \"part\", \"3\", \"\", \"\")\n  or\n  label_replace(configuration:edge_cache_miss_ratio:avg1h offset 23h30m, \"part\", \"yesterday\", \"\", \"\")\n) and configuration:edge_cache_miss_ratio:avg1h offset 6d23h30m\nor\nmax without (part) (\n  label_replace(configuration:edge_cache_miss_ratio:avg1h offset 23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(configuration:edge_cache_miss_ratio:avg1h offset 1d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(configuration:edge_cache_miss_ratio:avg1h offset 2d23h30m, \"part\", \"3\", \"\", \"\")\n)\nor\nlast_over_time(configuration:edge_cache_miss_ratio:avg1h[5h57m30s] offset 10m)\n) + 0.3"
          }
        ]
      }
    ]
  },
  "prometheusAlerts": {
    "groups": [
      {
        "name": "edge-traffic",
        "interval": "1m",
        "rules": [
          {
            "alert": "EdgeWafSpike",
            "expr": "label_replace(\n(avg_over_time(configuration:edge_waf_threats_per_minute:at_least[4m30s]) > avg_over_time(configuration:edge_waf_threats_per_minute:sum[4m30s]) or avg_over_time(configuration:edge_waf_threats_per_minute:sum[4m30s]))\nand\n(\nconfiguration:edge_waf_threats_per_minute:active\nand\n(max_over_time(configuration:edge_waf_threats_per_minute:above[3m30s]) or max_over_time(configuration:edge_waf_threats_per_minute:certain[3m30s]))\nor\nconfiguration:edge_waf_threats_per_minute:rising\n)\nunless on (account)\naccount:edge_waf_ruleset_changed:relearning\n, \"scope\", \"configuration\", \"\", \"\")\nor\nlabel_replace(\n(avg_over_time(account:edge_waf_threats_per_minute:at_least[4m30s]) > avg_over_time(account:edge_waf_threats_per_minute:sum[4m30s]) or avg_over_time(account:edge_waf_threats_per_minute:sum[4m30s]))\nand\n(\naccount:edge_waf_threats_per_minute:active\nand\n(max_over_time(account:edge_waf_threats_per_minute:above[3m30s]) or max_over_time(account:edge_waf_threats_per_minute:certain[3m30s]))\nor\naccount:edge_waf_threats_per_minute:rising\n)\nand\ncount_over_time(account:edge_waf_threats_per_minute:since[3m30s]) >= 4\nunless on (account, product)\nlast_over_time(configuration:edge_waf_threats_per_minute:since[1h9m30s])\nunless on (account, product)\n(count by (account, product) (configuration:edge_requests_per_minute:sum) > count by (account, product) (configuration:edge_requests_per_minute:sum offset 1w))\nunless on (account)\naccount:edge_waf_ruleset_changed:relearning\n, \"scope\", \"account\", \"\", \"\")",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "page",
              "about": "traffic",
              "metric": "waf"
            },
            "annotations": {
              "summary": "{{ $value | humanize }} threats a minute on {{ if $labels.configuration }}{{ $labels.configuration }} ({{ $labels.account }}){{ else }}{{ $labels.account }}{{ end }}",
              "description": "{{ $value | humanize }} against a threshold of {{ if $labels.configuration }}{{ with printf `configuration:edge_waf_threats_per_minute:threshold{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanize }}{{ else }}its floor{{ end }}{{ else }}{{ with printf `account:edge_waf_threats_per_minute:threshold{account=%q, product=%q}` $labels.account $labels.product | query }}{{ . | first | value | humanize }}{{ else }}its floor{{ end }}{{ end }}, since {{ if $labels.configuration }}{{ with printf `configuration:edge_waf_threats_per_minute:since{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanizeTimestamp }}{{ else }}the last hour{{ end }}{{ else }}{{ with printf `account:edge_waf_threats_per_minute:since{account=%q, product=%q}` $labels.account $labels.product | query }}{{ . | first | value | humanizeTimestamp }}{{ else }}the last hour{{ end }}{{ end }}. The WAF blocks {{ if $labels.configuration }}{{ with printf `configuration:edge_waf_blocked_per_minute:sum{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanize }}{{ else }}few{{ end }}{{ else }}{{ with printf `account:edge_waf_blocked_per_minute:sum{account=%q, product=%q}` $labels.account $labels.product | query }}{{ . | first | value | humanize }}{{ else }}few{{ end }}{{ end }} requests a minute. First: compare detected and blocked threats in `Detected and stopped` on the Security dashboard. If about as many are blocked, the WAF holds. If far fewer are blocked, switch the rule set to blocking.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgewafspike"
            }
          },
          {
            "alert": "EdgeWafElevated",
            "expr": "label_replace(\n(\navg_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s])\nand\n(\navg_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s]) > (((last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s] offset 30m) or last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s])) * 2 > 0 * configuration:edge_waf_threats_per_minute:sum + 10 or 0 * configuration:edge_waf_threats_per_minute:sum + 10) * on (account, product, configuration) (0.75 * ((avg_over_time(configuration:edge_requests_per_minute:sum[59m30s]) - avg_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s])) + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s] offset 30m) + 30) > 1) or ((last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s] offset 30m) or last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s])) * 2 > 0 * configuration:edge_waf_threats_per_minute:sum + 10 or 0 * configuration:edge_waf_threats_per_minute:sum + 10)) and quantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[59m30s]) > (((last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s] offset 30m) or last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s])) * 2 > 0 * configuration:edge_waf_threats_per_minute:sum + 10 or 0 * configuration:edge_waf_threats_per_minute:sum + 10) * on (account, product, configuration) (0.75 * ((avg_over_time(configuration:edge_requests_per_minute:sum[59m30s]) - avg_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s])) + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s] offset 30m) + 30) > 1) or ((last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s] offset 30m) or last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s])) * 2 > 0 * configuration:edge_waf_threats_per_minute:sum + 10 or 0 * configuration:edge_waf_threats_per_minute:sum + 10))\nor\nsum_over_time(configuration:edge_waf_threats_per_minute:above[59m30s]) >= 4\n)\nand\n(\navg_over_time(configuration:edge_waf_threats_per_minute:sum[11m30s]) > (((last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s] offset 30m) or last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s])) * 2 > 0 * configuration:edge_waf_threats_per_minute:sum + 10 or 0 * configuration:edge_waf_threats_per_minute:sum + 10) * on (account, product, configuration) (0.75 * ((avg_over_time(configuration:edge_requests_per_minute:sum[59m30s]) - avg_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s])) + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s] offset 30m) + 30) > 1) or ((last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s] offset 30m) or last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s])) * 2 > 0 * configuration:edge_waf_threats_per_minute:sum + 10 or 0 * configuration:edge_waf_threats_per_minute:sum + 10)) / 2\nor\nmax_over_time(configuration:edge_waf_threats_per_minute:above[11m30s])\n)\nunless\n(quantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[19m30s]) > 1.05 * quantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[19m30s] offset 20m)\nand\nquantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[19m30s] offset 20m) > 1.05 * quantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[19m30s] offset 40m)\nand\nquantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[19m30s] offset 40m) > 1.05 * quantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[19m30s] offset 1h) unless avg_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s] offset 2h30m) > 2 * last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]))\nor\navg_over_time(configuration:edge_waf_threats_per_minute:sum[14m30s]) > 40\nand\navg_over_time(configuration:edge_waf_threats_per_minute:sum[14m30s]) > ((3 * last_over_time(configuration:edge_waf_threats_per_minute:avg1h[12m30s] offset 3h)) * on (account, product, configuration) (0.5 * ((configuration:edge_requests_per_minute:sum - configuration:edge_waf_threats_per_minute:sum) + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30) > 1) or (3 * last_over_time(configuration:edge_waf_threats_per_minute:avg1h[12m30s] offset 3h)))\nand\navg_over_time(configuration:edge_waf_threats_per_minute:sum[14m30s]) > ((3 * last_over_time(configuration:edge_waf_threats_per_minute:avg1h[12m30s] offset 23h30m)) * on (account, product, configuration) (0.5 * ((configuration:edge_requests_per_minute:sum - configuration:edge_waf_threats_per_minute:sum) + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30) > 1) or (3 * last_over_time(configuration:edge_waf_threats_per_minute:avg1h[12m30s] offset 23h30m)))\nand\nlast_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]) > 3 * last_over_time(configuration:edge_waf_threats_per_minute:avg1h[12m30s] offset 23h30m)\n)\nunless\nlast_over_time(configuration:edge_waf_threats_per_minute:since[2h59m30s])\nunless on (account)\naccount:edge_waf_ruleset_changed:relearning\n, \"scope\", \"configuration\", \"\", \"\")\nor\nlabel_replace(\n(\navg_over_time(account:edge_waf_threats_per_minute:sum[59m30s])\nand\n(\navg_over_time(account:edge_waf_threats_per_minute:sum[59m30s]) > (((last_over_time(account:edge_waf_threats_per_minute:usual[12m30s] offset 30m) or last_over_time(account:edge_waf_threats_per_minute:usual[12m30s])) * 2 > 0 * account:edge_waf_threats_per_minute:sum + 10 or 0 * account:edge_waf_threats_per_minute:sum + 10) + sum by (account, product) (((last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s] offset 30m) or last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s])) * 2 > 0 * configuration:edge_waf_threats_per_minute:sum + 10 or 0 * configuration:edge_waf_threats_per_minute:sum + 10) * on (account, product, configuration) (0.75 * ((avg_over_time(configuration:edge_requests_per_minute:sum[59m30s]) - avg_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s])) + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s] offset 30m) + 30) > 1)) or ((last_over_time(account:edge_waf_threats_per_minute:usual[12m30s] offset 30m) or last_over_time(account:edge_waf_threats_per_minute:usual[12m30s])) * 2 > 0 * account:edge_waf_threats_per_minute:sum + 10 or 0 * account:edge_waf_threats_per_minute:sum + 10)) and quantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[59m30s]) > (((last_over_time(account:edge_waf_threats_per_minute:usual[12m30s] offset 30m) or last_over_time(account:edge_waf_threats_per_minute:usual[12m30s])) * 2 > 0 * account:edge_waf_threats_per_minute:sum + 10 or 0 * account:edge_waf_threats_per_minute:sum + 10) + sum by (account, product) (((last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s] offset 30m) or last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s])) * 2 > 0 * configuration:edge_waf_threats_per_minute:sum + 10 or 0 * configuration:edge_waf_threats_per_minute:sum + 10) * on (account, product, configuration) (0.75 * ((avg_over_time(configuration:edge_requests_per_minute:sum[59m30s]) - avg_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s])) + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s] offset 30m) + 30) > 1)) or ((last_over_time(account:edge_waf_threats_per_minute:usual[12m30s] offset 30m) or last_over_time(account:edge_waf_threats_per_minute:usual[12m30s])) * 2 > 0 * account:edge_waf_threats_per_minute:sum + 10 or 0 * account:edge_waf_threats_per_minute:sum + 10))\nor\nsum_over_time(account:edge_waf_threats_per_minute:above[59m30s]) >= 4\n)\nand\n(\navg_over_time(account:edge_waf_threats_per_minute:sum[11m30s]) > (((last_over_time(account:edge_waf_threats_per_minute:usual[12m30s] offset 30m) or last_over_time(account:edge_waf_threats_per_minute:usual[12m30s])) * 2 > 0 * account:edge_waf_threats_per_minute:sum + 10 or 0 * account:edge_waf_threats_per_minute:sum + 10) + sum by (account, product) (((last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s] offset 30m) or last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s])) * 2 > 0 * configuration:edge_waf_threats_per_minute:sum + 10 or 0 * configuration:edge_waf_threats_per_minute:sum + 10) * on (account, product, configuration) (0.75 * ((avg_over_time(configuration:edge_requests_per_minute:sum[59m30s]) - avg_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s])) + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s] offset 30m) + 30) > 1)) or ((last_over_time(account:edge_waf_threats_per_minute:usual[12m30s] offset 30m) or last_over_time(account:edge_waf_threats_per_minute:usual[12m30s])) * 2 > 0 * account:edge_waf_threats_per_minute:sum + 10 or 0 * account:edge_waf_threats_per_minute:sum + 10)) / 2\nor\nmax_over_time(account:edge_waf_threats_per_minute:above[11m30s])\n)\nunless\n(quantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[19m30s]) > 1.05 * quantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[19m30s] offset 20m)\nand\nquantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[19m30s] offset 20m) > 1.05 * quantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[19m30s] offset 40m)\nand\nquantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[19m30s] offset 40m) > 1.05 * quantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[19m30s] offset 1h) unless avg_over_time(account:edge_waf_threats_per_minute:sum[59m30s] offset 2h30m) > 2 * last_over_time(account:edge_waf_threats_per_minute:usual[12m30s]))\nor\navg_over_time(account:edge_waf_threats_per_minute:sum[14m30s]) > 40\nand\navg_over_time(account:edge_waf_threats_per_minute:sum[14m30s]) > ((3 * last_over_time(account:edge_waf_threats_per_minute:avg1h[12m30s] offset 3h)) + sum by (account, product) ((3 * last_over_time(configuration:edge_waf_threats_per_minute:avg1h[12m30s] offset 3h)) * on (account, product, configuration) (0.5 * ((configuration:edge_requests_per_minute:sum - configuration:edge_waf_threats_per_minute:sum) + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30) > 1)) or (3 * last_over_time(account:edge_waf_threats_per_minute:avg1h[12m30s] offset 3h)))\nand\navg_over_time(account:edge_waf_threats_per_minute:sum[14m30s]) > ((3 * last_over_time(account:edge_waf_threats_per_minute:avg1h[12m30s] offset 23h30m)) + sum by (account, product) ((3 * last_over_time(configuration:edge_waf_threats_per_minute:avg1h[12m30s] offset 23h30m)) * on (account, product, configuration) (0.5 * ((configuration:edge_requests_per_minute:sum - configuration:edge_waf_threats_per_minute:sum) + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30) > 1)) or (3 * last_over_time(account:edge_waf_threats_per_minute:avg1h[12m30s] offset 23h30m)))\nand\nlast_over_time(account:edge_waf_threats_per_minute:usual[12m30s]) > 3 * last_over_time(account:edge_waf_threats_per_minute:avg1h[12m30s] offset 23h30m)\n)\nunless\nlast_over_time(account:edge_waf_threats_per_minute:since[2h59m30s])\nunless on (account)\naccount:edge_waf_ruleset_changed:relearning\nand\ncount_over_time(account:edge_waf_threats_per_minute:above[3m30s]) >= 4\nunless on (account, product)\nlast_over_time(configuration:edge_waf_threats_per_minute:above[1h9m30s])\nunless on (account, product)\n(count by (account, product) (configuration:edge_requests_per_minute:sum) > count by (account, product) (configuration:edge_requests_per_minute:sum offset 1w))\n, \"scope\", \"account\", \"\", \"\")",
            "for": "10m",
            "keep_firing_for": "2h",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "metric": "waf"
            },
            "annotations": {
              "summary": "{{ $value | humanize }} threats a minute in an hour on {{ if $labels.configuration }}{{ $labels.configuration }} ({{ $labels.account }}){{ else }}{{ $labels.account }}{{ end }}",
              "description": "Mean of the last hour: {{ $value | humanize }} threats a minute. Usual at this hour: {{ if $labels.configuration }}{{ with printf `configuration:edge_waf_threats_per_minute:usual{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }}{{ else }}{{ with printf `account:edge_waf_threats_per_minute:usual{account=%q, product=%q}` $labels.account $labels.product | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }}{{ end }}. First: look at `Detected and stopped` on the Security dashboard. If the WAF stops what it detects and threats do not grow, it can wait. If they grow, act as for EdgeWafSpike now.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgewafelevated"
            }
          },
          {
            "alert": "EdgeAttackUsual",
            "expr": "label_replace(\nlast_over_time(configuration:edge_waf_threats_per_minute:avg1h[12m30s])\nand\nlast_over_time(configuration:edge_waf_threats_per_minute:accepted[23h59m30s])\nunless on (account)\nlast_over_time(account:edge_waf_ruleset_changed:relearning[1d59m30s])\n, \"scope\", \"configuration\", \"\", \"\")\nor\nlabel_replace(\nlast_over_time(account:edge_waf_threats_per_minute:avg1h[12m30s])\nand\nlast_over_time(account:edge_waf_threats_per_minute:accepted[23h59m30s])\nunless on (account)\nlast_over_time(account:edge_waf_ruleset_changed:relearning[1d59m30s])\nunless on (account, product)\nlast_over_time(configuration:edge_waf_threats_per_minute:accepted[23h59m30s])\n, \"scope\", \"account\", \"\", \"\")",
            "for": "1h",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "metric": "waf"
            },
            "annotations": {
              "summary": "{{ $value | humanize }} threats a minute count as usual on {{ if $labels.configuration }}{{ $labels.configuration }} ({{ $labels.account }}){{ else }}{{ $labels.account }}{{ end }}",
              "description": "Threats were above their threshold for 2d. Attacks of this size no longer alert. First: decide whether it is still an attack or new traffic. `Threats by family` and `Let through` on the Security dashboard show the difference.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgeattackusual"
            }
          },
          {
            "alert": "EdgeWafBlockedSpike",
            "expr": "label_replace(\navg_over_time(configuration:edge_waf_blocked_per_minute:sum[4m30s])\nand\nconfiguration:edge_waf_blocked_per_minute:active\nand\nmax_over_time(configuration:edge_waf_blocked_per_minute:above[3m30s])\nunless on (account, product, configuration)\nlast_over_time(configuration:edge_waf_threats_per_minute:since[1h9m30s])\nunless on (account)\naccount:edge_waf_ruleset_changed:relearning\n, \"scope\", \"configuration\", \"\", \"\")",
            "for": "10m",
            "keep_firing_for": "2h",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "metric": "waf"
            },
            "annotations": {
              "summary": "{{ $value | humanize }} requests a minute blocked on {{ if $labels.configuration }}{{ $labels.configuration }} ({{ $labels.account }}){{ else }}{{ $labels.account }}{{ end }}",
              "description": "{{ $value | humanize }} against a threshold of {{ with printf `configuration:edge_waf_blocked_per_minute:threshold{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanize }}{{ else }}its floor{{ end }}, since {{ with printf `configuration:edge_waf_blocked_per_minute:since{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanizeTimestamp }}{{ else }}the last hour{{ end }}. First: look at `Last changes of settings` on the Security dashboard. If a rule changed or a deployment happened as it began, relax that rule. Otherwise it is an attack that the WAF stops.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgewafblockedspike"
            }
          },
          {
            "alert": "EdgeWafFamilyAttack",
            "expr": "label_replace(\navg_over_time(configuration:edge_waf_threats_by_family_per_minute:sum[4m30s])\nand\nconfiguration:edge_waf_threats_by_family_per_minute:active\nand\nmax_over_time(configuration:edge_waf_threats_by_family_per_minute:above[3m30s])\nunless on (account, product, configuration)\nlast_over_time(configuration:edge_waf_threats_per_minute:since[1h9m30s])\nunless on (account)\naccount:edge_waf_ruleset_changed:relearning\n, \"scope\", \"configuration\", \"\", \"\")",
            "for": "10m",
            "keep_firing_for": "2h",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "metric": "waf"
            },
            "annotations": {
              "summary": "{{ $labels.family }} attack on {{ if $labels.configuration }}{{ $labels.configuration }} ({{ $labels.account }}){{ else }}{{ $labels.account }}{{ end }}: {{ $value | humanize }} threats a minute",
              "description": "{{ $value | humanize }} against a threshold of {{ with printf `configuration:edge_waf_threats_by_family_per_minute:threshold{account=%q, product=%q, configuration=%q, family=%q}` $labels.account $labels.product $labels.configuration $labels.family | query }}{{ . | first | value | humanize }}{{ else }}its floor{{ end }}, since {{ with printf `configuration:edge_waf_threats_by_family_per_minute:since{account=%q, product=%q, configuration=%q, family=%q}` $labels.account $labels.product $labels.configuration $labels.family | query }}{{ . | first | value | humanizeTimestamp }}{{ else }}the last hour{{ end }}. First: look at `Detected and stopped` on the Security dashboard. If the WAF stops less than it detects, raise the sensitivity of the family.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgewaffamilyattack"
            }
          },
          {
            "alert": "Edge4xxRatio",
            "expr": "label_replace(\navg_over_time(configuration:edge_client_error_ratio:now[4m30s])\nand\nconfiguration:edge_client_error_ratio:active\nand\nmax_over_time(configuration:edge_client_error_ratio:above[3m30s])\nunless on (account, product, configuration)\nlast_over_time(configuration:edge_waf_threats_per_minute:since[1h9m30s])\n, \"scope\", \"configuration\", \"\", \"\")",
            "for": "10m",
            "keep_firing_for": "2h",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "metric": "status_code"
            },
            "annotations": {
              "summary": "{{ $value | humanizePercentage }} client errors on {{ if $labels.configuration }}{{ $labels.configuration }} ({{ $labels.account }}){{ else }}{{ $labels.account }}{{ end }}",
              "description": "{{ $value | humanizePercentage }} against a threshold of {{ with printf `configuration:edge_client_error_ratio:threshold{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanizePercentage }}{{ else }}its floor{{ end }}, since {{ with printf `configuration:edge_client_error_ratio:since{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanizeTimestamp }}{{ else }}the last hour{{ end }}. First: look at `Client errors (4xx)` on the Configuration dashboard. 404 is a broken link or a scanner. 403 is a rule. Other is often a login or a rate limit.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edge4xxratio"
            }
          },
          {
            "alert": "EdgeOffloadCollapse",
            "expr": "label_replace(\navg_over_time(configuration:edge_cache_miss_ratio:now[4m30s])\nand\nconfiguration:edge_cache_miss_ratio:active\nand\nmax_over_time(configuration:edge_cache_miss_ratio:above[3m30s])\nunless on (account, product, configuration)\nlast_over_time(configuration:edge_waf_threats_per_minute:since[1h9m30s])\n, \"scope\", \"configuration\", \"\", \"\")",
            "for": "10m",
            "keep_firing_for": "2h",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "metric": "requests"
            },
            "annotations": {
              "summary": "{{ $value | humanizePercentage }} cache misses on {{ if $labels.configuration }}{{ $labels.configuration }} ({{ $labels.account }}){{ else }}{{ $labels.account }}{{ end }}",
              "description": "{{ $value | humanizePercentage }} against a threshold of {{ with printf `configuration:edge_cache_miss_ratio:threshold{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanizePercentage }}{{ else }}its floor{{ end }}, since {{ with printf `configuration:edge_cache_miss_ratio:since{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanizeTimestamp }}{{ else }}the last hour{{ end }}. First: look at `Last changes of settings` on the Security dashboard. If a cache setting changed as it began, undo it. Otherwise ask who purged the cache, and wait until it fills again.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgeoffloadcollapse"
            }
          },
          {
            "alert": "EdgeStatusCodeSurge",
            "expr": "label_replace(\n(\navg_over_time(configuration:edge_error_responses_per_minute:sum[4m30s])\nand\nconfiguration:edge_error_responses_per_minute:active\nand\nmax_over_time(configuration:edge_error_responses_per_minute:above[3m30s])\nor\nsum_over_time(configuration:edge_error_responses_per_minute:sum[59m30s]) / 60\nand\n(\nsum_over_time(configuration:edge_error_responses_per_minute:sum[59m30s]) / 60 > (((last_over_time(configuration:edge_error_responses_per_minute:threshold[12m30s] offset 30m) or last_over_time(configuration:edge_error_responses_per_minute:threshold[12m30s])) / 3 * 2 > 0 * configuration:edge_error_responses_per_minute:sum + 8 or 0 * configuration:edge_error_responses_per_minute:sum + 8) * on (account, product, configuration) group_left () (0.75 * (avg_over_time(configuration:edge_requests_per_minute:sum[59m30s]) + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s] offset 30m) + 30) > 1) or ((last_over_time(configuration:edge_error_responses_per_minute:threshold[12m30s] offset 30m) or last_over_time(configuration:edge_error_responses_per_minute:threshold[12m30s])) / 3 * 2 > 0 * configuration:edge_error_responses_per_minute:sum + 8 or 0 * configuration:edge_error_responses_per_minute:sum + 8)) and count_over_time(configuration:edge_error_responses_per_minute:sum[59m30s]) >= 20\nor\n(sum_over_time(configuration:edge_error_responses_per_minute:above[59m30s]) >= 4 unless on (account, product, configuration) avg_over_time(configuration:edge_requests_per_minute:sum[59m30s]) > 4 / 3 * last_over_time(configuration:edge_requests_per_minute:usual[12m30s] offset 30m))\n)\nand\n(\nsum_over_time(configuration:edge_error_responses_per_minute:sum[11m30s]) / 12 > (((last_over_time(configuration:edge_error_responses_per_minute:threshold[12m30s] offset 30m) or last_over_time(configuration:edge_error_responses_per_minute:threshold[12m30s])) / 3 * 2 > 0 * configuration:edge_error_responses_per_minute:sum + 8 or 0 * configuration:edge_error_responses_per_minute:sum + 8) * on (account, product, configuration) group_left () (0.75 * (avg_over_time(configuration:edge_requests_per_minute:sum[59m30s]) + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s] offset 30m) + 30) > 1) or ((last_over_time(configuration:edge_error_responses_per_minute:threshold[12m30s] offset 30m) or last_over_time(configuration:edge_error_responses_per_minute:threshold[12m30s])) / 3 * 2 > 0 * configuration:edge_error_responses_per_minute:sum + 8 or 0 * configuration:edge_error_responses_per_minute:sum + 8)) / 2\nor\nmax_over_time(configuration:edge_error_responses_per_minute:above[11m30s])\n)\n)\nunless on (account, product, configuration)\nlast_over_time(configuration:edge_waf_threats_per_minute:since[2h59m30s])\nunless on (account)\naccount:edge_waf_ruleset_changed:relearning\nunless\nsum_over_time(configuration:edge_error_responses_per_minute:sum{code=~\"403|other\"}[59m30s]) <= on (account, product, configuration) group_left () 1.5 * sum_over_time(configuration:edge_waf_blocked_per_minute:sum[59m30s])\nunless on (account, product, configuration)\nlast_over_time(configuration:edge_server_errors_per_minute:paging[2h59m30s])\nunless on (account, product, configuration)\nconfiguration:edge_server_error_ratio:avg5m > 0.006\n, \"scope\", \"configuration\", \"\", \"\")",
            "for": "10m",
            "keep_firing_for": "2h",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "metric": "status_code"
            },
            "annotations": {
              "summary": "{{ $value | humanize }} responses {{ $labels.code }} a minute on {{ if $labels.configuration }}{{ $labels.configuration }} ({{ $labels.account }}){{ else }}{{ $labels.account }}{{ end }}",
              "description": "{{ $value | humanize }} against a threshold of {{ with printf `configuration:edge_error_responses_per_minute:threshold{account=%q, product=%q, configuration=%q, class=%q, code=%q}` $labels.account $labels.product $labels.configuration $labels.class $labels.code | query }}{{ . | first | value | humanize }}{{ else }}its floor{{ end }}, since {{ with printf `configuration:edge_error_responses_per_minute:since{account=%q, product=%q, configuration=%q, class=%q, code=%q}` $labels.account $labels.product $labels.configuration $labels.class $labels.code | query }}{{ . | first | value | humanizeTimestamp }}{{ else }}the last hour{{ end }}. First: act by the code. 404: find the path in the origin's log. 403: find the rule. 401 and 429: look for password guessing. 5xx: act as for Edge5xxRatio.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgestatuscodesurge"
            }
          },
          {
            "alert": "EdgeTrafficFlood",
            "expr": "label_replace(\navg_over_time(configuration:edge_requests_per_minute:sum[4m30s])\nand\nconfiguration:edge_requests_per_minute:active\nand\nmax_over_time(configuration:edge_requests_per_minute:above[3m30s])\n, \"scope\", \"configuration\", \"\", \"\")",
            "labels": {
              "severity": "info",
              "about": "traffic",
              "metric": "requests"
            },
            "annotations": {
              "summary": "{{ $value | humanize }} requests a minute on {{ if $labels.configuration }}{{ $labels.configuration }} ({{ $labels.account }}){{ else }}{{ $labels.account }}{{ end }}",
              "description": "{{ $value | humanize }} requests a minute; usual at this hour: {{ if $labels.configuration }}{{ with printf `configuration:edge_requests_per_minute:usual{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }}{{ else }}{{ with printf `account:edge_requests_per_minute:usual{account=%q, product=%q}` $labels.account $labels.product | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }}{{ end }}. Errors and threats page by themselves.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgetrafficflood"
            }
          },
          {
            "alert": "EdgeTrafficDrop",
            "expr": "label_replace(\navg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) < 0.05 * (min_over_time(configuration:edge_requests_per_minute:avg1h[3h17m30s] offset 6d21h50m) >= 3)\nand\navg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) < 0.05 * (min_over_time(configuration:edge_requests_per_minute:avg1h[3h17m30s] offset 1w6d21h50m) >= 3)\nand\n(avg_over_time(configuration:edge_requests_per_minute:avg1h[23h57m30s] offset 1w) > avg_over_time(configuration:edge_requests_per_minute:avg1h[23h57m30s] offset 1w3d) or avg_over_time(configuration:edge_requests_per_minute:avg1h[23h57m30s] offset 1w3d)) >= 60\nand\nquantile_over_time(0.25, configuration:edge_requests_per_minute:sum[59m30s] offset 6d23h30m) > 0.05 * (min_over_time(configuration:edge_requests_per_minute:avg1h[3h17m30s] offset 6d21h50m) >= 3)\nunless\n(0.3 * (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) - avg_over_time(configuration:edge_requests_per_minute:sum[4m30s])) <= on (account, product) group_left () max by (account, product) ((avg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) > 1.7 * last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 6d23h30m)) - last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 6d23h30m) or avg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) unless (last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 6d23h30m) or last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 3d))) and 2.5 * (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) - avg_over_time(configuration:edge_requests_per_minute:sum[4m30s])) >= on (account, product) group_left () max by (account, product) ((avg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) > 1.7 * last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 6d23h30m)) - last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 6d23h30m) or avg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) unless (last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 6d23h30m) or last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 3d))))\nunless on (account, product, configuration)\nconfiguration:edge_data_age_seconds:stale{metric=\"requests\"}\n, \"scope\", \"configuration\", \"\", \"\")",
            "for": "10m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "page",
              "about": "traffic",
              "metric": "requests",
              "reason": "dead"
            },
            "annotations": {
              "summary": "{{ if $labels.configuration }}{{ $labels.configuration }} ({{ $labels.account }}){{ else }}{{ $labels.account }}{{ end }} is dead: {{ $value | humanize }} requests a minute",
              "description": "{{ $value | humanize }} requests a minute; usual at this hour: {{ with printf `configuration:edge_requests_per_minute:usual{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }}. The data is fresh, and no other configuration has the traffic. First: open the site from outside, for example on a phone. No answer: check DNS, then the certificate. An error: act as for Edge5xxRatio. A working site: it is a holiday or the end of a campaign.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgetrafficdrop"
            }
          },
          {
            "alert": "EdgeTrafficDrop",
            "expr": "label_replace(\n(\n(avg_over_time(configuration:edge_requests_per_minute:sum[29m30s]) > avg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) or avg_over_time(configuration:edge_requests_per_minute:sum[4m30s])) < 0.8 * (min_over_time(configuration:edge_requests_per_minute:avg1h[57m30s] offset 6d23h) >= 3)\nand\n(avg_over_time(configuration:edge_requests_per_minute:sum[29m30s]) > avg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) or avg_over_time(configuration:edge_requests_per_minute:sum[4m30s])) < 0.8 * (min_over_time(configuration:edge_requests_per_minute:avg1h[57m30s] offset 1w6d23h) >= 3)\nand\n(avg_over_time(configuration:edge_requests_per_minute:avg1h[23h57m30s] offset 1w) > avg_over_time(configuration:edge_requests_per_minute:avg1h[23h57m30s] offset 1w3d) or avg_over_time(configuration:edge_requests_per_minute:avg1h[23h57m30s] offset 1w3d)) >= 60\nand\nquantile_over_time(0.25, configuration:edge_requests_per_minute:sum[59m30s] offset 6d23h30m) > 0.8 * (min_over_time(configuration:edge_requests_per_minute:avg1h[3h17m30s] offset 6d21h50m) >= 3)\nunless\n((avg_over_time(configuration:edge_requests_per_minute:sum[29m30s]) > avg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) or avg_over_time(configuration:edge_requests_per_minute:sum[4m30s])) >= 0.8 * min_over_time(configuration:edge_requests_per_minute:avg1h[57m30s] offset 23h) and min_over_time(configuration:edge_requests_per_minute:avg1h[57m30s] offset 23h) < 0.8 * min_over_time(configuration:edge_requests_per_minute:avg1h[57m30s] offset 1w23h))\nor\navg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) < 0.15 * (last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 20m) >= 60)\nand\navg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) < 0.15 * (min_over_time(configuration:edge_requests_per_minute:avg1h[3h17m30s] offset 21h50m) >= 3)\nand\nquantile_over_time(0.25, configuration:edge_requests_per_minute:sum[59m30s] offset 20m) > 0.15 * last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 20m)\nunless\navg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) >= 0.15 * min_over_time(configuration:edge_requests_per_minute:avg1h[57m30s] offset 6d23h)\n)\nunless\n(\navg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) < 0.05 * (min_over_time(configuration:edge_requests_per_minute:avg1h[3h17m30s] offset 6d21h50m) >= 3)\nand\navg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) < 0.05 * (min_over_time(configuration:edge_requests_per_minute:avg1h[3h17m30s] offset 1w6d21h50m) >= 3)\nand\n(avg_over_time(configuration:edge_requests_per_minute:avg1h[23h57m30s] offset 1w) > avg_over_time(configuration:edge_requests_per_minute:avg1h[23h57m30s] offset 1w3d) or avg_over_time(configuration:edge_requests_per_minute:avg1h[23h57m30s] offset 1w3d)) >= 60\nand\nquantile_over_time(0.25, configuration:edge_requests_per_minute:sum[59m30s] offset 6d23h30m) > 0.05 * (min_over_time(configuration:edge_requests_per_minute:avg1h[3h17m30s] offset 6d21h50m) >= 3)\n)\nunless\n(0.3 * (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) - avg_over_time(configuration:edge_requests_per_minute:sum[4m30s])) <= on (account, product) group_left () max by (account, product) ((avg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) > 1.7 * last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 6d23h30m)) - last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 6d23h30m) or avg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) unless (last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 6d23h30m) or last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 3d))) and 2.5 * (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) - avg_over_time(configuration:edge_requests_per_minute:sum[4m30s])) >= on (account, product) group_left () max by (account, product) ((avg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) > 1.7 * last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 6d23h30m)) - last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 6d23h30m) or avg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) unless (last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 6d23h30m) or last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 3d))))\nunless on (account, product, configuration)\nconfiguration:edge_data_age_seconds:stale{metric=\"requests\"}\n, \"scope\", \"configuration\", \"\", \"\")",
            "for": "15m",
            "keep_firing_for": "2h",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "metric": "requests",
              "reason": "share"
            },
            "annotations": {
              "summary": "Only {{ $value | humanize }} requests a minute on {{ if $labels.configuration }}{{ $labels.configuration }} ({{ $labels.account }}){{ else }}{{ $labels.account }}{{ end }}",
              "description": "{{ $value | humanize }} requests a minute in half an hour; usual at this hour: {{ with printf `configuration:edge_requests_per_minute:usual{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }}. The data is fresh. First: open the site from outside, for example on a phone. No answer: check DNS, then the certificate. An error: act as for Edge5xxRatio. A working site: it is a holiday or the end of a campaign.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgetrafficdrop"
            }
          },
          {
            "alert": "Edge5xxRatio",
            "expr": "label_replace(\nconfiguration:edge_server_error_ratio:avg5m\nand\nconfiguration:edge_server_errors_per_minute:paging\n, \"scope\", \"configuration\", \"\", \"\")\nor\nlabel_replace(\naccount:edge_server_error_ratio:avg5m\nand\naccount:edge_server_errors_per_minute:paging\nand\ncount_over_time(account:edge_server_errors_per_minute:paging[3m30s]) >= 4\nunless on (account, product)\nlast_over_time(configuration:edge_server_errors_per_minute:paging[1h9m30s])\nunless on (account, product)\n(count by (account, product) (configuration:edge_responses_per_minute:sum) > count by (account, product) (configuration:edge_responses_per_minute:sum offset 1w))\n, \"scope\", \"account\", \"\", \"\")",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "page",
              "about": "traffic",
              "metric": "status_code",
              "burn": "fast"
            },
            "annotations": {
              "summary": "{{ $value | humanizePercentage }} server errors on {{ if $labels.configuration }}{{ $labels.configuration }} ({{ $labels.account }}){{ else }}{{ $labels.account }}{{ end }}",
              "description": "{{ $value | humanizePercentage }} of the responses in 5m were 5xx; the budget is 0.1%. First: look at `Server errors (5xx)` on the Configuration dashboard. 500: roll back the last deployment. 502, 503 and other: check the origin and the network to it.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edge5xxratio"
            }
          },
          {
            "alert": "Edge5xxRatio",
            "expr": "label_replace(\nlast_over_time(configuration:edge_server_error_ratio:avg6h[12m30s]) > 0.001\nand\navg_over_time(configuration:edge_server_error_ratio:avg6h[2d23h57m30s]) > 0.001\nand\navg_over_time(configuration:edge_server_errors_per_minute:sum[29m30s])\n/\n(avg_over_time(configuration:edge_responses_per_minute:sum[29m30s]) > 0) > 0.001\nand\navg_over_time(configuration:edge_responses_per_minute:sum[5h59m30s]) >= 10\nand\navg_over_time(configuration:edge_server_errors_per_minute:sum[5h59m30s]) >= 0.06\nunless\nlast_over_time(configuration:edge_server_errors_per_minute:paging[5h59m30s])\n, \"scope\", \"configuration\", \"\", \"\")\nor\nlabel_replace(\nlast_over_time(account:edge_server_error_ratio:avg6h[12m30s]) > 0.001\nand\navg_over_time(account:edge_server_error_ratio:avg6h[2d23h57m30s]) > 0.001\nand\navg_over_time(account:edge_server_errors_per_minute:sum[29m30s])\n/\n(avg_over_time(account:edge_responses_per_minute:sum[29m30s]) > 0) > 0.001\nand\navg_over_time(account:edge_responses_per_minute:sum[5h59m30s]) >= 10\nand\navg_over_time(account:edge_server_errors_per_minute:sum[5h59m30s]) >= 5\nunless\nlast_over_time(account:edge_server_errors_per_minute:paging[5h59m30s])\nunless on (account, product)\nlast_over_time(configuration:edge_server_error_ratio:avg6h[12m30s]) > 0.001\nand\navg_over_time(configuration:edge_server_error_ratio:avg6h[2d23h57m30s]) > 0.001\nand\navg_over_time(configuration:edge_server_errors_per_minute:sum[29m30s])\n/\n(avg_over_time(configuration:edge_responses_per_minute:sum[29m30s]) > 0) > 0.001\nand\navg_over_time(configuration:edge_responses_per_minute:sum[5h59m30s]) >= 10\nand\navg_over_time(configuration:edge_server_errors_per_minute:sum[5h59m30s]) >= 0.06\nunless\nlast_over_time(configuration:edge_server_errors_per_minute:paging[5h59m30s])\n, \"scope\", \"account\", \"\", \"\")",
            "for": "35m",
            "keep_firing_for": "1d",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "metric": "status_code",
              "burn": "creeping"
            },
            "annotations": {
              "summary": "{{ $value | humanizePercentage }} server errors on {{ if $labels.configuration }}{{ $labels.configuration }} ({{ $labels.account }}){{ else }}{{ $labels.account }}{{ end }}",
              "description": "{{ $value | humanizePercentage }} of the responses in 6h were 5xx; the budget is 0.1%. First: look at `Server errors (5xx)` on the Configuration dashboard. 500: roll back the last deployment. 502, 503 and other: check the origin and the network to it.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edge5xxratio"
            }
          },
          {
            "alert": "EdgeErrorsRecur",
            "expr": "label_replace(\nconfiguration:edge_server_error_ratio:avg5m\nand\nconfiguration:edge_server_errors_per_minute:paging\nand\nlast_over_time(configuration:edge_server_errors_per_minute:paging[29m30s] offset 23h45m)\nand\nlast_over_time(configuration:edge_server_errors_per_minute:paging[29m30s] offset 1d23h45m)\n, \"scope\", \"configuration\", \"\", \"\")\nor\nlabel_replace(\naccount:edge_server_error_ratio:avg5m\nand\naccount:edge_server_errors_per_minute:paging\nand\nlast_over_time(account:edge_server_errors_per_minute:paging[29m30s] offset 23h45m)\nand\nlast_over_time(account:edge_server_errors_per_minute:paging[29m30s] offset 1d23h45m)\nand\ncount_over_time(account:edge_server_errors_per_minute:paging[3m30s]) >= 4\nunless on (account, product)\nlast_over_time(configuration:edge_server_errors_per_minute:paging[1h9m30s])\nunless on (account, product)\n(count by (account, product) (configuration:edge_responses_per_minute:sum) > count by (account, product) (configuration:edge_responses_per_minute:sum offset 1w))\n, \"scope\", \"account\", \"\", \"\")",
            "keep_firing_for": "1d",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "metric": "status_code"
            },
            "annotations": {
              "summary": "Server errors at the same time of each day on {{ if $labels.configuration }}{{ $labels.configuration }} ({{ $labels.account }}){{ else }}{{ $labels.account }}{{ end }}",
              "description": "It is the third day with a page for server errors at this time. If it is maintenance, an Alertmanager time interval can mute it. First: ask who maintains the site at that time. Add an Alertmanager time interval for it to `mute_time_intervals`.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgeerrorsrecur"
            }
          },
          {
            "alert": "EdgeRuleSetSwitched",
            "expr": "max by (account) ((avg_over_time(configuration:edge_waf_threats_per_minute:sum[14m30s]) >= 5 unless avg_over_time(configuration:edge_waf_threats_per_minute:sum[14m30s]) <= 2 * avg_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s] offset 1h15m)) or (avg_over_time(configuration:edge_waf_blocked_per_minute:sum[14m30s]) >= 5 unless avg_over_time(configuration:edge_waf_blocked_per_minute:sum[14m30s]) <= 2 * avg_over_time(configuration:edge_waf_blocked_per_minute:sum[59m30s] offset 1h15m)))\nand on (account)\naccount:edge_waf_ruleset_changed:relearning",
            "keep_firing_for": "2h",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "metric": "waf"
            },
            "annotations": {
              "summary": "The WAF of {{ $labels.account }} detects more since its rule set changed",
              "description": "A WAF rule set changed, and threats or blocked requests are above their threshold since: {{ $value | humanize }} a minute. The rules learn the new level; WAF alerts of the account are silent for 75 minutes. First: look at `Last changes of settings` on the Security dashboard. Ask whoever changed the rule set whether the new level is intended.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgerulesetswitched"
            }
          },
          {
            "alert": "EdgeOriginErrors",
            "expr": "configuration:edge_upstream_error_ratio:avg5m > 0.05",
            "for": "10m",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "scope": "configuration",
              "metric": "upstream_responses"
            },
            "annotations": {
              "summary": "{{ $value | humanizePercentage }} of the origin's responses fail on {{ if $labels.configuration }}{{ $labels.configuration }} ({{ $labels.account }}){{ else }}{{ $labels.account }}{{ end }}",
              "description": "{{ $value | humanizePercentage }} of the responses of its origins in 5m were 5xx, before the cache. First: look at `Responses of the origin` on the Configuration dashboard. Find out when 5xx rose and what was deployed then.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgeoriginerrors"
            }
          },
          {
            "alert": "EdgeOriginSlow",
            "expr": "configuration:edge_upstream_response_seconds:avg5m > 1\nunless\nconfiguration:edge_upstream_response_seconds:avg5m <= 3 * last_over_time(configuration:edge_upstream_response_seconds:usual[12m30s])",
            "for": "10m",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "scope": "configuration",
              "metric": "upstream_responses"
            },
            "annotations": {
              "summary": "The origin takes {{ $value | humanizeDuration }} a response on {{ if $labels.configuration }}{{ $labels.configuration }} ({{ $labels.account }}){{ else }}{{ $labels.account }}{{ end }}",
              "description": "Mean of 5m: {{ $value | humanizeDuration }}. Median of the last day: {{ with printf `configuration:edge_upstream_response_seconds:usual{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanizeDuration }}{{ else }}unknown{{ end }}. First: compare `requests` with `origin` in `Time a request takes` on the Configuration dashboard. If `requests` did not rise, the cache holds, and it can wait.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgeoriginslow"
            }
          }
        ]
      },
      {
        "name": "edge-settings",
        "interval": "1m",
        "rules": [
          {
            "alert": "EdgeWafCounting",
            "expr": "max without (container, endpoint, instance, job, node, pod, replica, service) (edge_waf_ruleset_info{mode=\"counting\"})\nand on (account, waf_ruleset_id)\n(edge_waf_ruleset_info{mode=\"blocking\"} offset 1h or edge_waf_ruleset_info{mode=\"blocking\"} offset 1d or edge_waf_ruleset_info{mode=\"blocking\"} offset 1w)",
            "for": "5m",
            "labels": {
              "severity": "ticket",
              "about": "settings"
            },
            "annotations": {
              "summary": "The WAF only counts: {{ $labels.waf_ruleset }} ({{ $labels.account }})",
              "description": "The WAF rule set {{ $labels.waf_ruleset }} of {{ $labels.account }} was blocking and is counting now: it detects threats and lets them through. First: ask whoever changed it last (`Last changes of settings` on the Security dashboard) whether it is being tuned. If not, switch it back to blocking.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgewafcounting"
            }
          },
          {
            "alert": "EdgeWafOff",
            "expr": "label_replace(\nmin without (container, endpoint, instance, job, node, pod, replica, service) (edge_waf_ruleset_active) == 0\nand on (account, waf_ruleset_id)\n(edge_waf_ruleset_active offset 1h == 1 or edge_waf_ruleset_active offset 1d == 1 or edge_waf_ruleset_active offset 1w == 1)\n, \"scope\", \"ruleset\", \"\", \"\")\nor\nlabel_replace(\nmin without (container, endpoint, instance, job, node, pod, replica, service) (edge_firewall_waf_enabled) == 0\nand on (account, firewall_id)\n(edge_firewall_waf_enabled offset 1h == 1 or edge_firewall_waf_enabled offset 1d == 1 or edge_firewall_waf_enabled offset 1w == 1)\n, \"scope\", \"firewall\", \"\", \"\")",
            "for": "5m",
            "labels": {
              "severity": "page",
              "about": "settings"
            },
            "annotations": {
              "summary": "The WAF {{ with $labels.waf_ruleset }}rule set {{ . }}{{ else }}of the firewall {{ $labels.firewall }}{{ end }} ({{ $labels.account }}) is off",
              "description": "It was on before. A rule set that is off neither stops nor detects threats; a firewall without its WAF leaves its domains unprotected. First: switch it on again in the platform's console, unless somebody knows why it is off. `Last changes of settings` on the Security dashboard shows since when.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgewafoff"
            }
          },
          {
            "alert": "EdgeFirewallDisabled",
            "expr": "min without (container, endpoint, instance, job, node, pod, replica, service) (edge_firewall_active) == 0\nand on (account, firewall_id)\n(edge_firewall_active offset 1h == 1 or edge_firewall_active offset 1d == 1 or edge_firewall_active offset 1w == 1)",
            "for": "5m",
            "labels": {
              "severity": "page",
              "about": "settings"
            },
            "annotations": {
              "summary": "The firewall {{ $labels.firewall }} ({{ $labels.account }}) is disabled",
              "description": "The firewall {{ $labels.firewall }} of {{ $labels.account }} was active before. Now none of its rules protects its domains. First: activate it again in the platform's console, unless somebody knows why it is off. `Last changes of settings` on the Security dashboard shows since when.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgefirewalldisabled"
            }
          },
          {
            "alert": "EdgeErrorPageCachedTooLong",
            "expr": "max without (container, endpoint, instance, job, node, pod, replica, service) (edge_error_response_cache_seconds{code=~\"5..\"}) > 300",
            "for": "30m",
            "labels": {
              "severity": "ticket",
              "about": "settings"
            },
            "annotations": {
              "summary": "Errors {{ $labels.code }} of {{ $labels.configuration }} ({{ $labels.account }}) are cached for {{ $value | humanizeDuration }}",
              "description": "The edge keeps responses {{ $labels.code }} of {{ $labels.configuration }} ({{ $labels.account }}) for {{ $value | humanizeDuration }}. Visitors see a short failure of the origin for the same time. First: lower the time for which the configuration caches that code to a few seconds.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgeerrorpagecachedtoolong"
            }
          },
          {
            "alert": "EdgeCertificateExpiring",
            "expr": "min without (container, endpoint, instance, job, node, pod, replica, service) (edge_certificate_expiry_timestamp_seconds) - time() < 1814400\nand\nmin without (container, endpoint, instance, job, node, pod, replica, service) (edge_certificate_expiry_timestamp_seconds) - time() >= 259200",
            "for": "30m",
            "labels": {
              "severity": "ticket",
              "about": "settings"
            },
            "annotations": {
              "summary": "The certificate {{ $labels.certificate }} ({{ $labels.account }}) {{ if lt $value 0.0 }}expired {{ $value | humanizeDuration | reReplaceAll \"^-\" \"\" }} ago{{ else }}expires in {{ $value | humanizeDuration }}{{ end }}",
              "description": "The certificate {{ $labels.certificate }} of {{ $labels.account }} {{ if lt $value 0.0 }}expired {{ $value | humanizeDuration | reReplaceAll \"^-\" \"\" }} ago{{ else }}expires in {{ $value | humanizeDuration }}{{ end }}. Browsers warn visitors of an expired certificate and do not show the site. Who renews it: {{ range printf \"edge_certificate_managed{account=%q, certificate_id=%q}\" $labels.account $labels.certificate_id | query }}{{ if eq .Value 1.0 }}the platform{{ else }}you{{ end }}{{ else }}unknown{{ end }}. First: read in the alert's text who renews it. The platform: check that the domain still points to it. You: renew it and bind the new one to its domains.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgecertificateexpiring"
            }
          },
          {
            "alert": "EdgeCertificateExpiring",
            "expr": "min without (container, endpoint, instance, job, node, pod, replica, service) (edge_certificate_expiry_timestamp_seconds) - time() < 259200",
            "for": "30m",
            "labels": {
              "severity": "page",
              "about": "settings"
            },
            "annotations": {
              "summary": "The certificate {{ $labels.certificate }} ({{ $labels.account }}) {{ if lt $value 0.0 }}expired {{ $value | humanizeDuration | reReplaceAll \"^-\" \"\" }} ago{{ else }}expires in {{ $value | humanizeDuration }}{{ end }}",
              "description": "The certificate {{ $labels.certificate }} of {{ $labels.account }} {{ if lt $value 0.0 }}expired {{ $value | humanizeDuration | reReplaceAll \"^-\" \"\" }} ago{{ else }}expires in {{ $value | humanizeDuration }}{{ end }}. Browsers warn visitors of an expired certificate and do not show the site. Who renews it: {{ range printf \"edge_certificate_managed{account=%q, certificate_id=%q}\" $labels.account $labels.certificate_id | query }}{{ if eq .Value 1.0 }}the platform{{ else }}you{{ end }}{{ else }}unknown{{ end }}. First: read in the alert's text who renews it. The platform: check that the domain still points to it. You: renew it and bind the new one to its domains.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgecertificateexpiring"
            }
          },
          {
            "alert": "EdgeSettingChanged",
            "expr": "label_replace(\ntime() - max without (container, endpoint, instance, job, node, pod, replica, service) (edge_application_changed_timestamp_seconds) < 900\n, \"kind\", \"application\", \"\", \"\")\nor\nlabel_replace(\ntime() - max without (container, endpoint, instance, job, node, pod, replica, service) (edge_certificate_changed_timestamp_seconds) < 900\n, \"kind\", \"certificate\", \"\", \"\")\nor\nlabel_replace(\ntime() - max without (container, endpoint, instance, job, node, pod, replica, service) (edge_domain_changed_timestamp_seconds) < 900\n, \"kind\", \"domain\", \"\", \"\")\nor\nlabel_replace(\ntime() - max without (container, endpoint, instance, job, node, pod, replica, service) (edge_error_response_changed_timestamp_seconds) < 900\n, \"kind\", \"error_response\", \"\", \"\")\nor\nlabel_replace(\ntime() - max without (container, endpoint, instance, job, node, pod, replica, service) (edge_firewall_changed_timestamp_seconds) < 900\n, \"kind\", \"firewall\", \"\", \"\")\nor\nlabel_replace(\ntime() - max without (container, endpoint, instance, job, node, pod, replica, service) (edge_firewall_ruleset_changed_timestamp_seconds) < 900\n, \"kind\", \"firewall_ruleset\", \"\", \"\")\nor\nlabel_replace(\ntime() - max without (container, endpoint, instance, job, node, pod, replica, service) (edge_function_changed_timestamp_seconds) < 900\n, \"kind\", \"function\", \"\", \"\")\nor\nlabel_replace(\ntime() - max without (container, endpoint, instance, job, node, pod, replica, service) (edge_network_list_changed_timestamp_seconds) < 900\n, \"kind\", \"network_list\", \"\", \"\")\nor\nlabel_replace(\ntime() - max without (container, endpoint, instance, job, node, pod, replica, service) (edge_waf_ruleset_changed_timestamp_seconds) < 900\n, \"kind\", \"waf_ruleset\", \"\", \"\")\nor\nlabel_replace(\ntime() - max without (container, endpoint, instance, job, node, pod, replica, service) (edge_zone_changed_timestamp_seconds) < 900\n, \"kind\", \"zone\", \"\", \"\")",
            "labels": {
              "severity": "info",
              "about": "settings"
            },
            "annotations": {
              "summary": "Changed: {{ $labels.kind }} {{ if eq $labels.kind \"application\" }}{{ $labels.edge_application }}{{ end }}{{ if eq $labels.kind \"certificate\" }}{{ $labels.certificate }}{{ end }}{{ if eq $labels.kind \"domain\" }}{{ $labels.domain }}{{ end }}{{ if eq $labels.kind \"error_response\" }}{{ $labels.configuration }}{{ end }}{{ if eq $labels.kind \"firewall\" }}{{ $labels.firewall }}{{ end }}{{ if eq $labels.kind \"firewall_ruleset\" }}{{ $labels.firewall_ruleset }}{{ end }}{{ if eq $labels.kind \"function\" }}{{ $labels.function }}{{ end }}{{ if eq $labels.kind \"network_list\" }}{{ $labels.network_list }}{{ end }}{{ if eq $labels.kind \"waf_ruleset\" }}{{ $labels.waf_ruleset }}{{ end }}{{ if eq $labels.kind \"zone\" }}{{ $labels.zone }}{{ end }} ({{ $labels.account }})",
              "description": "The setting differs from what it was {{ $value | humanizeDuration }} ago.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgesettingchanged"
            }
          }
        ]
      },
      {
        "name": "edge-platform",
        "interval": "1m",
        "rules": [
          {
            "alert": "EdgeDataStale",
            "expr": "configuration:edge_data_age_seconds:stale",
            "for": "5m",
            "labels": {
              "severity": "ticket",
              "about": "exporter",
              "scope": "configuration"
            },
            "annotations": {
              "summary": "Stale data: {{ $labels.metric }} of {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }})",
              "description": "The newest data of {{ $labels.metric }} of {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }}) is at least {{ $value | humanizeDuration }} old. Until it is fresh again, an attack on this configuration may go unnoticed.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: open the exporter's status page (`/`). It begins with the cause and the next step. If the platform is late, wait, and ask the platform after an hour.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgedatastale"
            }
          },
          {
            "alert": "EdgeDataStale",
            "expr": "time() - max by (account) (edge_data_until_timestamp_seconds) > 600\nunless\ntime() - max by (account) (edge_data_until_timestamp_seconds) <= 1.5 * min by (account) (edge_expected_age_seconds and on (account, product, metric) edge_data_until_timestamp_seconds)\nor\n(\nmax by (account) (max_over_time(edge_data_available[10m])) == 0\nand on (account)\nedge_data_available offset 10m\nunless on (account)\nedge_data_until_timestamp_seconds\n) + 600",
            "for": "5m",
            "labels": {
              "severity": "page",
              "about": "exporter",
              "scope": "account"
            },
            "annotations": {
              "summary": "No traffic data of {{ $labels.account }} for {{ $value | humanizeDuration }}",
              "description": "The newest traffic data of {{ $labels.account }} is at least {{ $value | humanizeDuration }} old, or there was never any. The platform is late, cannot be reached, or refuses the reads. Until there is new data, attacks go unnoticed.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: open the exporter's status page (`/`). It begins with the cause and the next step. If the platform is late, wait, and ask the platform after an hour.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgedatastale"
            }
          },
          {
            "alert": "EdgePlatformUnreachable",
            "expr": "max without (container, endpoint, instance, job, node, pod, replica, service) (edge_up) == 0",
            "for": "5m",
            "labels": {
              "severity": "ticket",
              "about": "exporter"
            },
            "annotations": {
              "summary": "No read of {{ $labels.account }} succeeds",
              "description": "The platform cannot be reached for {{ $labels.account }}, or refuses every read. The exporter's status page names the cause and what to do: network, address, token, permission, or quota.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: open the exporter's status page (`/`). It begins with the cause and the next step.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgeplatformunreachable"
            }
          },
          {
            "alert": "EdgePollsFailing",
            "expr": "sum by (account) (rate(edge_exporter_polls_total{collector=~\"metrics|analytics\", outcome!~\"ok|empty\"}[30m]))\n/\nsum by (account) (rate(edge_exporter_polls_total{collector=~\"metrics|analytics\"}[30m]))\n> 0.1\nand on (account)\nmax_over_time(edge_up[10m]) == 1",
            "for": "30m",
            "labels": {
              "severity": "ticket",
              "about": "exporter"
            },
            "annotations": {
              "summary": "{{ $value | humanizePercentage }} of the polls of {{ $labels.account }} fail",
              "description": "The platform answers some requests, but {{ $value | humanizePercentage }} of the polls of traffic of {{ $labels.account }} have failed for a long time. Their data is late or missing.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: open the exporter's status page (`/`), filtered by *Failing*. Each poll has its reason.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgepollsfailing"
            }
          },
          {
            "alert": "EdgeCollectorFailing",
            "expr": "max without (container, endpoint, instance, job, node, pod, replica, service) (sum without (outcome) (increase(edge_exporter_polls_total{collector!~\"metrics|analytics\", outcome!~\"ok|empty\"}[2h]))) > 1\nunless on (account, collector)\ntime() - edge_exporter_poll_last_success_timestamp_seconds < 7200\nand on (account)\nmax_over_time(edge_up[2h]) == 1",
            "for": "1h",
            "labels": {
              "severity": "ticket",
              "about": "exporter"
            },
            "annotations": {
              "summary": "No poll of {{ $labels.collector }} of {{ $labels.account }} succeeds",
              "description": "The platform answers, but no poll of the collector {{ $labels.collector }} of {{ $labels.account }} has succeeded for more than 2 hours, and about {{ $value | humanize }} have failed. Its series are gone, and alerts on them are silent.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: open the exporter's status page (`/`). It begins with the permission that is missing. Grant it, or leave the collector out.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgecollectorfailing"
            }
          },
          {
            "alert": "EdgeNotDiscovered",
            "expr": "label_replace(\nmax without (container, endpoint, instance, job, node, pod, replica, service) (edge_exporter_product_listed) == 0\nand on (account)\nmax_over_time(edge_up[1h]) == 1\n, \"reason\", \"product\", \"\", \"\")\nor\nlabel_replace(\nmax without (container, endpoint, instance, job, node, pod, replica, service) (edge_configurations) < 0.5 * max without (container, endpoint, instance, job, node, pod, replica, service) (max_over_time(edge_configurations[1d]))\n, \"reason\", \"fewer\", \"\", \"\")\nor\nlabel_replace(\nmax without (container, endpoint, instance, job, node, pod, replica, service) (edge_exporter_unmatched_configurations) > 0\n, \"reason\", \"configuration\", \"\", \"\")",
            "for": "1h",
            "labels": {
              "severity": "ticket",
              "about": "exporter"
            },
            "annotations": {
              "summary": "{{ if eq $labels.reason \"product\" }}The configurations of {{ $labels.product }} ({{ $labels.account }}) cannot be listed{{ else if eq $labels.reason \"fewer\" }}Only {{ $value }} configurations of {{ $labels.product }} ({{ $labels.account }}) are active{{ else }}{{ $value }} names of {{ $labels.product }} ({{ $labels.account }}) match nothing{{ end }}",
              "description": "{{ if eq $labels.reason \"product\" }}The platform answers, but has not listed them for an hour. Configurations that were never listed are affected. They are not read, and alerts on them are silent.{{ else if eq $labels.reason \"fewer\" }}The platform lists fewer than half of those of the last day. The others are affected. They are not read, and alerts on them are silent.{{ else }}Entries of configurations.include have matched no configuration for an hour. The names are misspelt, renamed or deleted. They are not read, and alerts on them are silent.{{ end }}{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: run `edge-exporter doctor`. It names products that cannot be listed, and names that match nothing.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgenotdiscovered"
            }
          },
          {
            "alert": "EdgeAccountPolledTwice",
            "expr": "max by (account, account_id) (edge_account_info)\n* on (account_id) group_left ()\n(count by (account_id) (edge_account_info) > 1)",
            "for": "30m",
            "labels": {
              "severity": "ticket",
              "about": "exporter"
            },
            "annotations": {
              "summary": "{{ $labels.account }} comes from {{ $value }} targets",
              "description": "Prometheus has {{ $labels.account }} from {{ $value }} targets:{{ range printf \"edge_account_info{account_id=%q}\" $labels.account_id | query }} {{ .Labels.instance }} ({{ .Labels.job }}) as {{ .Labels.account }};{{ end }} several exporters poll it, each with the whole quota, or Prometheus scrapes one of them twice. Rules and dashboards count it once; your own queries may not.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: compare the targets that the description names, as `instance (job) as account`.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgeaccountpolledtwice"
            }
          },
          {
            "alert": "EdgeQuotaNearlySpent",
            "expr": "(\nlabel_replace(\nmin without (container, endpoint, instance, job, node, pod, replica, service) (min_over_time(edge_api_ratelimit_remaining[15m]))\n/\nmax without (container, endpoint, instance, job, node, pod, replica, service) (max_over_time(edge_api_ratelimit_limit[15m]))\n< 0.1\n, \"reason\", \"remaining\", \"\", \"\")\nor\nlabel_replace(\nmax without (container, endpoint, instance, job, node, pod, replica, service) (min_over_time(edge_exporter_operations_waiting[15m])) > 0\nunless on (account)\nmax by (account) (edge_exporter_interval_stretch_ratio) <= 1.5\n, \"reason\", \"waiting\", \"\", \"\")\nor\nlabel_replace(\nmax without (container, endpoint, instance, job, node, pod, replica, service) (edge_exporter_interval_stretch_ratio) > 1.5\n, \"reason\", \"stretch\", \"\", \"\")\n)\nunless on (account)\nmax without (container, endpoint, instance, job, node, pod, replica, service) (edge_up) == 0",
            "for": "15m",
            "labels": {
              "severity": "ticket",
              "about": "exporter"
            },
            "annotations": {
              "summary": "{{ if eq $labels.reason \"remaining\" }}{{ $value | humanizePercentage }} of the quota of {{ $labels.account }} is left{{ else if eq $labels.reason \"waiting\" }}{{ $value }} operations of {{ $labels.account }} wait all the time{{ else }}{{ $labels.account }} is polled {{ $value | humanize }} times slower than configured{{ end }}",
              "description": "{{ if eq $labels.reason \"remaining\" }}Least left of the limit of {{ $labels.scope }} in 15m. The exporter keeps a reserve, so another client uses the rest.{{ else if eq $labels.reason \"waiting\" }}The queue of {{ $labels.scope }} has not been empty for 15m: data comes later than configured.{{ else }}Polls of {{ $labels.collector }}: the quota does not suffice, or the platform answers too slowly.{{ end }}{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: open the exporter's status page (`/`). If other clients use the token, give the exporter a token of its own. If not, poll less often.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgequotanearlyspent"
            }
          }
        ]
      },
      {
        "name": "edge-exporter",
        "interval": "1m",
        "rules": [
          {
            "alert": "EdgeReconciliationOff",
            "expr": "min without (container, endpoint, instance, job, node, pod, replica, service) (edge_exporter_reconciliation_ratio) < 1 - 0.01\nor\nmax without (container, endpoint, instance, job, node, pod, replica, service) (edge_exporter_reconciliation_ratio) > 1 + 0.01",
            "for": "30m",
            "labels": {
              "severity": "ticket",
              "about": "exporter"
            },
            "annotations": {
              "summary": "Counters of {{ $labels.account }} ({{ $labels.product }}) show {{ $value | humanizePercentage }} of the platform's own sum",
              "description": "The exporter has counted {{ $value | humanizePercentage }} of the sum that the platform reports for {{ $labels.account }} ({{ $labels.product }}) in the same time. Gauges and their alerts are not affected.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: look at `Lost or late` on the Exporter dashboard. Skipped or restated buckets explain the difference. If there are none, report it.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgereconciliationoff"
            }
          },
          {
            "alert": "EdgeBucketsSkipped",
            "expr": "max without (container, endpoint, instance, job, node, pod, replica, service) (increase(edge_exporter_buckets_skipped_total[1h]) / (increase(edge_exporter_buckets_skipped_total[1h]) + increase(edge_exporter_buckets_counted_total[1h])))\n> 0.01",
            "for": "5m",
            "labels": {
              "severity": "ticket",
              "about": "exporter"
            },
            "annotations": {
              "summary": "Counters of {{ $labels.account }} ({{ $labels.product }}) lack {{ $value | humanizePercentage }} of the buckets",
              "description": "The platform omitted {{ $value | humanizePercentage }} of the buckets of {{ $labels.account }} ({{ $labels.product }}) in the last hour. The counters continued without them, and will not add them later.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: compare with the platform's console for that time. If the buckets are missing there as well, the platform has lost them.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgebucketsskipped"
            }
          },
          {
            "alert": "EdgeBucketsRestatedLate",
            "expr": "max without (container, endpoint, instance, job, node, pod, replica, service) (increase(edge_exporter_late_restatement_total[1h]) / increase(edge_exporter_buckets_counted_total[1h]))\n> 0.01",
            "for": "5m",
            "labels": {
              "severity": "ticket",
              "about": "exporter"
            },
            "annotations": {
              "summary": "{{ $value | humanizePercentage }} of the buckets of {{ $labels.account }} ({{ $labels.product }}) changed after they were counted",
              "description": "The platform changed {{ $value | humanizePercentage }} of the buckets of {{ $labels.account }} ({{ $labels.product }}) after the counters had added them, within the last hour:{{ range printf \"sum by (metric) (increase(edge_exporter_late_restatement_amount_total{account=%q, product=%q}[1h]))\" $labels.account $labels.product | query }} {{ .Labels.metric }} by {{ .Value | humanize }},{{ end }} up or down. Buckets of the product change up to {{ range printf \"histogram_quantile(0.99, sum by (le) (increase(edge_exporter_settle_seconds_bucket{product=%q}[1h])))\" $labels.product | query }}{{ .Value | humanizeDuration }}{{ end }} after their end. The counters keep the earlier values.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: compare the age in the text with `settle_delay`. If you set that time yourself, raise it above the age.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgebucketsrestatedlate"
            }
          },
          {
            "alert": "EdgeCountersBehind",
            "expr": "max by (account, product, metric) (\n  time() - (edge_counted_until_timestamp_seconds or edge_product_counted_until_timestamp_seconds)\n)\n> on (account, product, metric)\n(3600 + max by (account, product, metric) (edge_exporter_settle_delay_seconds))",
            "for": "30m",
            "labels": {
              "severity": "ticket",
              "about": "exporter"
            },
            "annotations": {
              "summary": "Counters of {{ $labels.account }} ({{ $labels.product }}) are {{ $value | humanizeDuration }} behind",
              "description": "The last counted bucket of {{ $labels.metric }} of {{ $labels.account }} ({{ $labels.product }}) ended {{ $value | humanizeDuration }} ago. Sums over time are too small until later buckets are counted; nothing is lost. Gauges and their alerts are not affected.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: see on the status page whether `counted until` moves. If it does, wait.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgecountersbehind"
            }
          },
          {
            "alert": "EdgeRowsMissing",
            "expr": "max without (container, endpoint, instance, job, node, pod, replica, service) (edge_missing_buckets_ratio) > 0.1",
            "for": "5m",
            "labels": {
              "severity": "ticket",
              "about": "exporter"
            },
            "annotations": {
              "summary": "{{ $value | humanizePercentage }} of the buckets of {{ $labels.account }} ({{ $labels.product }}) are missing",
              "description": "The platform's answers lack {{ $value | humanizePercentage }} of the buckets of {{ $labels.account }} ({{ $labels.product }}). Counters continue without them after 20 minutes, so sums over time are too small by the same share.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: open the exporter's status page (`/`). It names the metrics and how much is missing.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgerowsmissing"
            }
          },
          {
            "alert": "EdgeStateNotKept",
            "expr": "label_replace(\nedge_exporter_state_durable == 0\n, \"reason\", \"unavailable\", \"\", \"\")\nor\nlabel_replace(\nincrease(edge_exporter_state_errors_total[15m]) > 0\n, \"reason\", \"refused\", \"\", \"\")",
            "for": "15m",
            "labels": {
              "severity": "ticket",
              "about": "exporter"
            },
            "annotations": {
              "summary": "{{ if eq $labels.reason \"unavailable\" }}The counters of {{ $labels.instance }} are withheld{{ else }}The counters of {{ $labels.instance }} do not rise{{ end }}",
              "description": "{{ if eq $labels.reason \"unavailable\" }}The state in {{ $labels.directory }} cannot be used. Counters are withheld until it can. With a directory, gauges continue; with a database, accounts are not polled.{{ else }}The state refused about {{ $value | humanize }} writes in 15 minutes. Counters do not rise until it can be written. Gauges are not affected.{{ end }} First: check the free space and the mount of the directory in the log, or whether the database answers.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgestatenotkept"
            }
          },
          {
            "alert": "EdgeTokenExpiring",
            "expr": "min without (container, endpoint, instance, job, node, pod, replica, service) (edge_token_expiry_timestamp_seconds unless edge_token_renewal_timestamp_seconds > time()) - time() < 7200\nand\nmin without (container, endpoint, instance, job, node, pod, replica, service) (edge_token_expiry_timestamp_seconds unless edge_token_renewal_timestamp_seconds > time()) - time() >= 1800",
            "for": "5m",
            "labels": {
              "severity": "ticket",
              "about": "exporter"
            },
            "annotations": {
              "summary": "The token of {{ $labels.account }} {{ if lt $value 0.0 }}expired {{ $value | humanizeDuration | reReplaceAll \"^-\" \"\" }} ago{{ else }}expires in {{ $value | humanizeDuration }}{{ end }}",
              "description": "The token in use for {{ $labels.account }} {{ if lt $value 0.0 }}expired {{ $value | humanizeDuration | reReplaceAll \"^-\" \"\" }} ago{{ else }}expires in {{ $value | humanizeDuration }}{{ end }}, and the exporter has not been able to renew it.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: read the platform's answer to the renewal in the exporter's log. Correct a wrong user or password. Replace a token that comes from a file.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgetokenexpiring"
            }
          },
          {
            "alert": "EdgeTokenExpiring",
            "expr": "min without (container, endpoint, instance, job, node, pod, replica, service) (edge_token_expiry_timestamp_seconds unless edge_token_renewal_timestamp_seconds > time()) - time() < 1800",
            "for": "5m",
            "labels": {
              "severity": "page",
              "about": "exporter"
            },
            "annotations": {
              "summary": "The token of {{ $labels.account }} {{ if lt $value 0.0 }}expired {{ $value | humanizeDuration | reReplaceAll \"^-\" \"\" }} ago{{ else }}expires in {{ $value | humanizeDuration }}{{ end }}",
              "description": "The token in use for {{ $labels.account }} {{ if lt $value 0.0 }}expired {{ $value | humanizeDuration | reReplaceAll \"^-\" \"\" }} ago{{ else }}expires in {{ $value | humanizeDuration }}{{ end }}, and the exporter has not been able to renew it.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: read the platform's answer to the renewal in the exporter's log. Correct a wrong user or password. Replace a token that comes from a file.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgetokenexpiring"
            }
          },
          {
            "alert": "EdgeExporterDown",
            "expr": "up{job=\"edge-exporter\"} == 0\nor\nabsent(up{job=\"edge-exporter\"})",
            "for": "3m",
            "labels": {
              "severity": "page",
              "about": "exporter"
            },
            "annotations": {
              "summary": "{{ if $labels.instance }}The exporter {{ $labels.instance }} is down{{ else }}There is no exporter (job {{ $labels.job }}){{ end }}",
              "description": "{{ if $labels.instance }}Prometheus cannot scrape the exporter {{ $labels.instance }} (job {{ $labels.job }}){{ else }}Prometheus has no target of the job {{ $labels.job }}{{ end }}. Prometheus gets none of its data, so attacks go unnoticed. First: check on its host whether the process runs (`systemctl status`, `docker ps`, `kubectl get pods`). If not, start it. If it runs, Prometheus' targets page has the reason.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgeexporterdown"
            }
          },
          {
            "alert": "EdgeConfigReloadFailed",
            "expr": "edge_exporter_config_last_reload_successful == 0",
            "for": "5m",
            "labels": {
              "severity": "ticket",
              "about": "exporter"
            },
            "annotations": {
              "summary": "The exporter {{ $labels.instance }} refused its configuration",
              "description": "The last attempt to load the configuration of {{ $labels.instance }} failed. It keeps the previous configuration, which a restart loses. First: run `edge-exporter check-config` on the file. It names every mistake with its line.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgeconfigreloadfailed"
            }
          },
          {
            "alert": "EdgeSeriesDropped",
            "expr": "increase(edge_exporter_series_dropped_total[1h]) > 0",
            "for": "5m",
            "labels": {
              "severity": "ticket",
              "about": "exporter"
            },
            "annotations": {
              "summary": "The exporter {{ $labels.instance }} drops series",
              "description": "It dropped about {{ $value | humanize }} series in the last hour, because there are more than limits.series. No alert watches dropped series. First: raise `limits.series`, if Prometheus can hold them, and reload.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgeseriesdropped"
            }
          },
          {
            "alert": "EdgePushBehind",
            "expr": "label_replace(\ntime() - edge_exporter_outbox_oldest_timestamp_seconds > 900 and (increase(edge_exporter_push_samples_sent_total[15m]) + increase(edge_exporter_push_failures_total[15m]) + sum without (reason) (increase(edge_exporter_push_samples_refused_total[15m])) > 0)\n, \"reason\", \"refused\", \"\", \"\")\nor\nlabel_replace(\ntime() - edge_exporter_outbox_oldest_timestamp_seconds > 900 unless (increase(edge_exporter_push_samples_sent_total[15m]) + increase(edge_exporter_push_failures_total[15m]) + sum without (reason) (increase(edge_exporter_push_samples_refused_total[15m])) > 0)\n, \"reason\", \"stopped\", \"\", \"\")",
            "for": "5m",
            "labels": {
              "severity": "ticket",
              "about": "exporter"
            },
            "annotations": {
              "summary": "Samples have waited for {{ $labels.receiver }} for {{ $value | humanizeDuration }}",
              "description": "{{ if eq $labels.reason \"refused\" }}The receiver does not answer, refuses all requests, or is too slow. All samples arrive when it accepts them again, unless the outbox of {{ $labels.instance }} reaches its limits before.{{ else }}{{ $labels.instance }} has sent nothing to the receiver for 15 minutes: its outbox cannot be read, or its sending has stopped. The receiver is not the cause.{{ end }} First: read the exporter's log. It has the receiver's answer, or the reason why the outbox cannot be read.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgepushbehind"
            }
          },
          {
            "alert": "EdgePushLosing",
            "expr": "label_replace(\nincrease(edge_exporter_push_samples_refused_total[1h]) > 0\n, \"loss\", \"refused\", \"\", \"\")\nor\nlabel_replace(\nincrease(edge_exporter_push_samples_dropped_total[1h]) > 0\n, \"loss\", \"dropped\", \"\", \"\")",
            "for": "5m",
            "labels": {
              "severity": "ticket",
              "about": "exporter"
            },
            "annotations": {
              "summary": "Samples for {{ $labels.receiver }} are lost: {{ $labels.reason }}",
              "description": "{{ if eq $labels.loss \"refused\" }}The receiver refused about {{ $value | humanize }} samples for good{{ else }}The outbox dropped about {{ $value | humanize }} samples unsent{{ end }} in the last hour. /metrics of {{ $labels.instance }} has them. First: read the log. The first refusal of each reason has the receiver's own words.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgepushlosing"
            }
          }
        ]
      }
    ]
  }
}
