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
            "record": "configuration:edge_requests_per_minute:sum",
            "expr": "sum by (account, product, configuration) (max by (account, product, configuration, configuration_id) (edge_requests_per_minute))"
          },
          {
            "record": "configuration:edge_requests_per_minute:limit",
            "expr": "((configuration:edge_requests_per_minute:limit > (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + last_over_time(configuration:edge_requests_per_minute:threshold[12m30s])) / 2 or (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + last_over_time(configuration:edge_requests_per_minute:threshold[12m30s])) / 2 and configuration:edge_requests_per_minute:limit) < last_over_time(configuration:edge_requests_per_minute:threshold[12m30s]) or last_over_time(configuration:edge_requests_per_minute:threshold[12m30s])) and configuration:edge_requests_per_minute:active"
          },
          {
            "record": "configuration:edge_requests_per_minute:above",
            "expr": "configuration:edge_requests_per_minute:sum > bool (configuration:edge_requests_per_minute:limit or last_over_time(configuration:edge_requests_per_minute:threshold[12m30s])) == 1"
          },
          {
            "record": "configuration:edge_requests_per_minute:active",
            "expr": "clamp_max(sum_over_time(configuration:edge_requests_per_minute:above[11m30s]) >= 6, 1)"
          },
          {
            "record": "configuration:edge_requests_per_minute:fallen",
            "expr": "avg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) <= bool (last_over_time(configuration:edge_requests_per_minute:lower_threshold[12m30s]) or last_over_time(configuration:edge_requests_per_minute:lowest_threshold[12m30s])) == 1"
          },
          {
            "record": "configuration:edge_requests_per_minute:since",
            "expr": "(last_over_time(configuration:edge_requests_per_minute:since[59m30s]) or time() + 0 * (configuration:edge_requests_per_minute:active or configuration:edge_requests_per_minute:fallen)) and (configuration:edge_requests_per_minute:active or configuration:edge_requests_per_minute:fallen)"
          },
          {
            "record": "configuration:edge_requests_per_minute:accepted",
            "expr": "time() - configuration:edge_requests_per_minute:since > 172800"
          },
          {
            "record": "configuration:edge_requests_per_minute:excess",
            "expr": "(configuration:edge_requests_per_minute:sum - (3 * last_over_time(configuration:edge_requests_per_minute:seasonal[12m30s]) + 30) > 0) unless configuration:edge_requests_per_minute:fallen\nor\nconfiguration:edge_requests_per_minute:sum - last_over_time(configuration:edge_requests_per_minute:seasonal[12m30s]) and configuration:edge_requests_per_minute:fallen unless configuration:edge_requests_per_minute:accepted"
          },
          {
            "record": "account:edge_requests_per_minute:sum",
            "expr": "sum by (account, product) (configuration:edge_requests_per_minute:sum)"
          },
          {
            "record": "account:edge_requests_per_minute:limit",
            "expr": "((account:edge_requests_per_minute:limit > (last_over_time(account:edge_requests_per_minute:usual[12m30s]) + last_over_time(account:edge_requests_per_minute:threshold[12m30s])) / 2 or (last_over_time(account:edge_requests_per_minute:usual[12m30s]) + last_over_time(account:edge_requests_per_minute:threshold[12m30s])) / 2 and account:edge_requests_per_minute:limit) < last_over_time(account:edge_requests_per_minute:threshold[12m30s]) or last_over_time(account:edge_requests_per_minute:threshold[12m30s])) and account:edge_requests_per_minute:active"
          },
          {
            "record": "account:edge_requests_per_minute:above",
            "expr": "account:edge_requests_per_minute:sum > bool (account:edge_requests_per_minute:limit or last_over_time(account:edge_requests_per_minute:threshold[12m30s])) == 1"
          },
          {
            "record": "account:edge_requests_per_minute:active",
            "expr": "clamp_max(sum_over_time(account:edge_requests_per_minute:above[11m30s]) >= 6, 1)"
          },
          {
            "record": "account:edge_requests_per_minute:fallen",
            "expr": "avg_over_time(account:edge_requests_per_minute:sum[4m30s]) <= bool (last_over_time(account:edge_requests_per_minute:lower_threshold[12m30s]) or last_over_time(account:edge_requests_per_minute:lowest_threshold[12m30s])) == 1"
          },
          {
            "record": "account:edge_requests_per_minute:since",
            "expr": "(last_over_time(account:edge_requests_per_minute:since[59m30s]) or time() + 0 * (account:edge_requests_per_minute:active or account:edge_requests_per_minute:fallen)) and (account:edge_requests_per_minute:active or account:edge_requests_per_minute:fallen)"
          },
          {
            "record": "account:edge_requests_per_minute:accepted",
            "expr": "time() - account:edge_requests_per_minute:since > 172800"
          },
          {
            "record": "account:edge_requests_per_minute:excess",
            "expr": "(account:edge_requests_per_minute:sum - (3 * last_over_time(account:edge_requests_per_minute:seasonal[12m30s]) + 30) > 0) unless account:edge_requests_per_minute:fallen\nor\naccount:edge_requests_per_minute:sum - last_over_time(account:edge_requests_per_minute:seasonal[12m30s]) and account:edge_requests_per_minute:fallen unless account:edge_requests_per_minute:accepted"
          },
          {
            "record": "configuration:edge_waf_threats_per_minute:sum",
            "expr": "sum by (account, product, configuration) (max by (account, product, configuration, configuration_id) (edge_waf_threats_per_minute))"
          },
          {
            "record": "configuration:edge_waf_threats_per_minute:limit",
            "expr": "((configuration:edge_waf_threats_per_minute:limit > (last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]) + last_over_time(configuration:edge_waf_threats_per_minute:threshold[12m30s])) / 2 or (last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]) + last_over_time(configuration:edge_waf_threats_per_minute:threshold[12m30s])) / 2 and configuration:edge_waf_threats_per_minute:limit) < last_over_time(configuration:edge_waf_threats_per_minute:threshold[12m30s]) or last_over_time(configuration:edge_waf_threats_per_minute:threshold[12m30s])) and configuration:edge_waf_threats_per_minute:active"
          },
          {
            "record": "configuration:edge_waf_threats_per_minute:above",
            "expr": "configuration:edge_waf_threats_per_minute:sum > bool (1.5 * last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]) * clamp_min((configuration:edge_requests_per_minute:sum - configuration:edge_waf_threats_per_minute:sum + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30), 1) > (configuration:edge_waf_threats_per_minute:limit or last_over_time(configuration:edge_waf_threats_per_minute:threshold[12m30s])) or (configuration:edge_waf_threats_per_minute:limit or last_over_time(configuration:edge_waf_threats_per_minute:threshold[12m30s]))) == 1"
          },
          {
            "record": "configuration:edge_waf_threats_per_minute:at_least",
            "expr": "sum by (account, product, configuration) (max by (account, product, configuration, configuration_id) (edge_waf_threats_at_least_per_minute))"
          },
          {
            "record": "configuration:edge_waf_threats_per_minute:certain",
            "expr": "configuration:edge_waf_threats_per_minute:at_least > bool (1.5 * last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]) * clamp_min((configuration:edge_requests_per_minute:sum - configuration:edge_waf_threats_per_minute:sum + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30), 1) > (configuration:edge_waf_threats_per_minute:limit or last_over_time(configuration:edge_waf_threats_per_minute:threshold[12m30s])) or (configuration:edge_waf_threats_per_minute:limit or last_over_time(configuration:edge_waf_threats_per_minute:threshold[12m30s]))) == 1"
          },
          {
            "record": "configuration:edge_waf_threats_per_minute:active",
            "expr": "clamp_max(sum_over_time(configuration:edge_waf_threats_per_minute:above[11m30s]) >= on (account, product) group_left () (0 * (max by (account, product) (sum_over_time(configuration:edge_waf_threats_per_minute:above[11m30s]) and avg_over_time(configuration:edge_waf_threats_per_minute:sum[11m30s]) > last_over_time(configuration:edge_waf_threats_per_minute:threshold[12m30s])) >= 6) + 3) or sum_over_time(configuration:edge_waf_threats_per_minute:above[11m30s]) >= 6 and configuration:edge_waf_threats_per_minute:active, 1)\nor\nclamp_max(sum_over_time(configuration:edge_waf_threats_per_minute:certain[11m30s]) >= on (account, product) group_left () (0 * (max by (account, product) (sum_over_time(configuration:edge_waf_threats_per_minute:certain[11m30s]) and avg_over_time(configuration:edge_waf_threats_per_minute:at_least[11m30s]) > last_over_time(configuration:edge_waf_threats_per_minute:threshold[12m30s])) >= 6) + 3) or sum_over_time(configuration:edge_waf_threats_per_minute:certain[11m30s]) >= 6 and configuration:edge_waf_threats_per_minute:active, 1)"
          },
          {
            "record": "configuration:edge_waf_threats_per_minute:rising",
            "expr": "clamp_max(\n(quantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[29m30s]) > last_over_time(configuration:edge_waf_threats_per_minute:seasonal[12m30s]) * 3 > 40 / 2\nand\nquantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[29m30s]) > 1.1 * quantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[29m30s] offset 30m)\nand\nquantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[29m30s] offset 30m) > 1.1 * quantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[29m30s] offset 1h)\nand\nquantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[29m30s] offset 1h) > 1.1 * quantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[29m30s] offset 1h30m)\nand\nquantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[29m30s] offset 1h) > 2 * last_over_time(configuration:edge_waf_threats_per_minute:seasonal[12m30s]) + 4\nor\navg_over_time(configuration:edge_waf_threats_per_minute:sum[4m30s]) > last_over_time(configuration:edge_waf_threats_per_minute:seasonal[12m30s]) * 3 > 40 / 2 and configuration:edge_waf_threats_per_minute:rising)\nunless\navg_over_time(configuration:edge_waf_threats_per_minute:sum[4m30s]) <= 1.5 * last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]) * clamp_min((configuration:edge_requests_per_minute:sum - configuration:edge_waf_threats_per_minute:sum + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30), 1), 1)"
          },
          {
            "record": "configuration:edge_waf_threats_per_minute:since",
            "expr": "(last_over_time(configuration:edge_waf_threats_per_minute:since[59m30s]) or time() + 0 * (configuration:edge_waf_threats_per_minute:active or configuration:edge_waf_threats_per_minute:rising)) and (configuration:edge_waf_threats_per_minute:active or configuration:edge_waf_threats_per_minute:rising)"
          },
          {
            "record": "configuration:edge_waf_threats_per_minute:accepted",
            "expr": "time() - configuration:edge_waf_threats_per_minute:since > 172800"
          },
          {
            "record": "configuration:edge_waf_threats_per_minute:excess",
            "expr": "configuration:edge_waf_threats_per_minute:sum - last_over_time(configuration:edge_waf_threats_per_minute:seasonal[12m30s]) and (configuration:edge_waf_threats_per_minute:above or (configuration:edge_waf_threats_per_minute:active or configuration:edge_waf_threats_per_minute:rising)) unless configuration:edge_waf_threats_per_minute:accepted"
          },
          {
            "record": "account:edge_waf_threats_per_minute:sum",
            "expr": "sum by (account, product) (configuration:edge_waf_threats_per_minute:sum)"
          },
          {
            "record": "account:edge_waf_threats_per_minute:limit",
            "expr": "((account:edge_waf_threats_per_minute:limit > (last_over_time(account:edge_waf_threats_per_minute:usual[12m30s]) + last_over_time(account:edge_waf_threats_per_minute:threshold[12m30s])) / 2 or (last_over_time(account:edge_waf_threats_per_minute:usual[12m30s]) + last_over_time(account:edge_waf_threats_per_minute:threshold[12m30s])) / 2 and account:edge_waf_threats_per_minute:limit) < last_over_time(account:edge_waf_threats_per_minute:threshold[12m30s]) or last_over_time(account:edge_waf_threats_per_minute:threshold[12m30s])) and account:edge_waf_threats_per_minute:active"
          },
          {
            "record": "account:edge_waf_threats_per_minute:above",
            "expr": "account:edge_waf_threats_per_minute:sum > bool (1.5 * sum by (account, product) (last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]) * clamp_min((configuration:edge_requests_per_minute:sum - configuration:edge_waf_threats_per_minute:sum + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30), 1)) > (account:edge_waf_threats_per_minute:limit or last_over_time(account:edge_waf_threats_per_minute:threshold[12m30s])) or (account:edge_waf_threats_per_minute:limit or last_over_time(account:edge_waf_threats_per_minute:threshold[12m30s]))) == 1"
          },
          {
            "record": "account:edge_waf_threats_per_minute:at_least",
            "expr": "sum by (account, product) (configuration:edge_waf_threats_per_minute:at_least)"
          },
          {
            "record": "account:edge_waf_threats_per_minute:certain",
            "expr": "account:edge_waf_threats_per_minute:at_least > bool (1.5 * sum by (account, product) (last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]) * clamp_min((configuration:edge_requests_per_minute:sum - configuration:edge_waf_threats_per_minute:sum + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30), 1)) > (account:edge_waf_threats_per_minute:limit or last_over_time(account:edge_waf_threats_per_minute:threshold[12m30s])) or (account:edge_waf_threats_per_minute:limit or last_over_time(account:edge_waf_threats_per_minute:threshold[12m30s]))) == 1"
          },
          {
            "record": "account:edge_waf_threats_per_minute:active",
            "expr": "clamp_max(sum_over_time(account:edge_waf_threats_per_minute:above[11m30s]) >= 6 and (avg_over_time(account:edge_waf_threats_per_minute:sum[11m30s]) > last_over_time(account:edge_waf_threats_per_minute:threshold[12m30s]) or account:edge_waf_threats_per_minute:active), 1)\nor\nclamp_max(sum_over_time(account:edge_waf_threats_per_minute:certain[11m30s]) >= 6 and (avg_over_time(account:edge_waf_threats_per_minute:at_least[11m30s]) > last_over_time(account:edge_waf_threats_per_minute:threshold[12m30s]) or account:edge_waf_threats_per_minute:active), 1)"
          },
          {
            "record": "account:edge_waf_threats_per_minute:rising",
            "expr": "clamp_max(\n(quantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[29m30s]) > last_over_time(account:edge_waf_threats_per_minute:seasonal[12m30s]) * 3 > 40 / 2\nand\nquantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[29m30s]) > 1.1 * quantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[29m30s] offset 30m)\nand\nquantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[29m30s] offset 30m) > 1.1 * quantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[29m30s] offset 1h)\nand\nquantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[29m30s] offset 1h) > 1.1 * quantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[29m30s] offset 1h30m)\nand\nquantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[29m30s] offset 1h) > 2 * last_over_time(account:edge_waf_threats_per_minute:seasonal[12m30s]) + 4\nor\navg_over_time(account:edge_waf_threats_per_minute:sum[4m30s]) > last_over_time(account:edge_waf_threats_per_minute:seasonal[12m30s]) * 3 > 40 / 2 and account:edge_waf_threats_per_minute:rising)\nunless\navg_over_time(account:edge_waf_threats_per_minute:sum[4m30s]) <= 1.5 * sum by (account, product) (last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]) * clamp_min((configuration:edge_requests_per_minute:sum - configuration:edge_waf_threats_per_minute:sum + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30), 1)), 1)"
          },
          {
            "record": "account:edge_waf_threats_per_minute:since",
            "expr": "(last_over_time(account:edge_waf_threats_per_minute:since[59m30s]) or time() + 0 * (account:edge_waf_threats_per_minute:active or account:edge_waf_threats_per_minute:rising)) and (account:edge_waf_threats_per_minute:active or account:edge_waf_threats_per_minute:rising)"
          },
          {
            "record": "account:edge_waf_threats_per_minute:accepted",
            "expr": "time() - account:edge_waf_threats_per_minute:since > 172800"
          },
          {
            "record": "account:edge_waf_threats_per_minute:excess",
            "expr": "account:edge_waf_threats_per_minute:sum - last_over_time(account:edge_waf_threats_per_minute:seasonal[12m30s]) and (account:edge_waf_threats_per_minute:above or (account:edge_waf_threats_per_minute:active or account:edge_waf_threats_per_minute:rising)) unless account:edge_waf_threats_per_minute:accepted"
          },
          {
            "record": "configuration:edge_waf_blocked_per_minute:sum",
            "expr": "sum by (account, product, configuration) (max by (account, product, configuration, configuration_id) (edge_waf_blocked_per_minute))"
          },
          {
            "record": "configuration:edge_waf_blocked_per_minute:limit",
            "expr": "((configuration:edge_waf_blocked_per_minute:limit > ((last_over_time(configuration:edge_waf_blocked_per_minute:usual[12m30s]) or last_over_time(configuration:edge_waf_blocked_per_minute:avg1h[12m30s]) or 0 * configuration:edge_waf_blocked_per_minute:sum) + (last_over_time(configuration:edge_waf_blocked_per_minute:threshold[12m30s]) or 0 * (configuration:edge_waf_blocked_per_minute:sum and last_over_time(configuration:edge_waf_blocked_per_minute:sum[59m30s] offset 10m) unless last_over_time(configuration:edge_waf_blocked_per_minute:avg1h[12m30s]) >= 10) + 40)) / 2 or ((last_over_time(configuration:edge_waf_blocked_per_minute:usual[12m30s]) or last_over_time(configuration:edge_waf_blocked_per_minute:avg1h[12m30s]) or 0 * configuration:edge_waf_blocked_per_minute:sum) + (last_over_time(configuration:edge_waf_blocked_per_minute:threshold[12m30s]) or 0 * (configuration:edge_waf_blocked_per_minute:sum and last_over_time(configuration:edge_waf_blocked_per_minute:sum[59m30s] offset 10m) unless last_over_time(configuration:edge_waf_blocked_per_minute:avg1h[12m30s]) >= 10) + 40)) / 2 and configuration:edge_waf_blocked_per_minute:limit) < (last_over_time(configuration:edge_waf_blocked_per_minute:threshold[12m30s]) or 0 * (configuration:edge_waf_blocked_per_minute:sum and last_over_time(configuration:edge_waf_blocked_per_minute:sum[59m30s] offset 10m) unless last_over_time(configuration:edge_waf_blocked_per_minute:avg1h[12m30s]) >= 10) + 40) or (last_over_time(configuration:edge_waf_blocked_per_minute:threshold[12m30s]) or 0 * (configuration:edge_waf_blocked_per_minute:sum and last_over_time(configuration:edge_waf_blocked_per_minute:sum[59m30s] offset 10m) unless last_over_time(configuration:edge_waf_blocked_per_minute:avg1h[12m30s]) >= 10) + 40)) and configuration:edge_waf_blocked_per_minute:active"
          },
          {
            "record": "configuration:edge_waf_blocked_per_minute:above",
            "expr": "configuration:edge_waf_blocked_per_minute:sum > bool (1.5 * (last_over_time(configuration:edge_waf_blocked_per_minute:usual[12m30s]) or last_over_time(configuration:edge_waf_blocked_per_minute:avg1h[12m30s]) or 0 * configuration:edge_waf_blocked_per_minute:sum) * clamp_min((configuration:edge_requests_per_minute:sum - configuration:edge_waf_blocked_per_minute:sum + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30), 1) > (configuration:edge_waf_blocked_per_minute:limit or (last_over_time(configuration:edge_waf_blocked_per_minute:threshold[12m30s]) or 0 * (configuration:edge_waf_blocked_per_minute:sum and last_over_time(configuration:edge_waf_blocked_per_minute:sum[59m30s] offset 10m) unless last_over_time(configuration:edge_waf_blocked_per_minute:avg1h[12m30s]) >= 10) + 40)) or (configuration:edge_waf_blocked_per_minute:limit or (last_over_time(configuration:edge_waf_blocked_per_minute:threshold[12m30s]) or 0 * (configuration:edge_waf_blocked_per_minute:sum and last_over_time(configuration:edge_waf_blocked_per_minute:sum[59m30s] offset 10m) unless last_over_time(configuration:edge_waf_blocked_per_minute:avg1h[12m30s]) >= 10) + 40))) == 1"
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
            "expr": "time() - configuration:edge_waf_blocked_per_minute:since > 172800\nor\nconfiguration:edge_waf_blocked_per_minute:sum and on (account, product, configuration) configuration:edge_waf_threats_per_minute:accepted"
          },
          {
            "record": "configuration:edge_waf_blocked_per_minute:excess",
            "expr": "configuration:edge_waf_blocked_per_minute:sum - (last_over_time(configuration:edge_waf_blocked_per_minute:seasonal[12m30s]) or last_over_time(configuration:edge_waf_blocked_per_minute:avg1h[12m30s]) or 0 * configuration:edge_waf_blocked_per_minute:sum) and (configuration:edge_waf_blocked_per_minute:above or configuration:edge_waf_blocked_per_minute:active) unless configuration:edge_waf_blocked_per_minute:accepted"
          },
          {
            "record": "account:edge_waf_blocked_per_minute:sum",
            "expr": "sum by (account, product) (configuration:edge_waf_blocked_per_minute:sum)"
          },
          {
            "record": "account:edge_waf_blocked_per_minute:limit",
            "expr": "((account:edge_waf_blocked_per_minute:limit > ((last_over_time(account:edge_waf_blocked_per_minute:usual[12m30s]) or last_over_time(account:edge_waf_blocked_per_minute:avg1h[12m30s]) or 0 * account:edge_waf_blocked_per_minute:sum) + (last_over_time(account:edge_waf_blocked_per_minute:threshold[12m30s]) or 0 * (account:edge_waf_blocked_per_minute:sum and last_over_time(account:edge_waf_blocked_per_minute:sum[59m30s] offset 10m) unless last_over_time(account:edge_waf_blocked_per_minute:avg1h[12m30s]) >= 10) + 40)) / 2 or ((last_over_time(account:edge_waf_blocked_per_minute:usual[12m30s]) or last_over_time(account:edge_waf_blocked_per_minute:avg1h[12m30s]) or 0 * account:edge_waf_blocked_per_minute:sum) + (last_over_time(account:edge_waf_blocked_per_minute:threshold[12m30s]) or 0 * (account:edge_waf_blocked_per_minute:sum and last_over_time(account:edge_waf_blocked_per_minute:sum[59m30s] offset 10m) unless last_over_time(account:edge_waf_blocked_per_minute:avg1h[12m30s]) >= 10) + 40)) / 2 and account:edge_waf_blocked_per_minute:limit) < (last_over_time(account:edge_waf_blocked_per_minute:threshold[12m30s]) or 0 * (account:edge_waf_blocked_per_minute:sum and last_over_time(account:edge_waf_blocked_per_minute:sum[59m30s] offset 10m) unless last_over_time(account:edge_waf_blocked_per_minute:avg1h[12m30s]) >= 10) + 40) or (last_over_time(account:edge_waf_blocked_per_minute:threshold[12m30s]) or 0 * (account:edge_waf_blocked_per_minute:sum and last_over_time(account:edge_waf_blocked_per_minute:sum[59m30s] offset 10m) unless last_over_time(account:edge_waf_blocked_per_minute:avg1h[12m30s]) >= 10) + 40)) and account:edge_waf_blocked_per_minute:active"
          },
          {
            "record": "account:edge_waf_blocked_per_minute:above",
            "expr": "account:edge_waf_blocked_per_minute:sum > bool (1.5 * sum by (account, product) ((last_over_time(configuration:edge_waf_blocked_per_minute:usual[12m30s]) or last_over_time(configuration:edge_waf_blocked_per_minute:avg1h[12m30s]) or 0 * configuration:edge_waf_blocked_per_minute:sum) * clamp_min((configuration:edge_requests_per_minute:sum - configuration:edge_waf_blocked_per_minute:sum + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30), 1)) > (account:edge_waf_blocked_per_minute:limit or (last_over_time(account:edge_waf_blocked_per_minute:threshold[12m30s]) or 0 * (account:edge_waf_blocked_per_minute:sum and last_over_time(account:edge_waf_blocked_per_minute:sum[59m30s] offset 10m) unless last_over_time(account:edge_waf_blocked_per_minute:avg1h[12m30s]) >= 10) + 40)) or (account:edge_waf_blocked_per_minute:limit or (last_over_time(account:edge_waf_blocked_per_minute:threshold[12m30s]) or 0 * (account:edge_waf_blocked_per_minute:sum and last_over_time(account:edge_waf_blocked_per_minute:sum[59m30s] offset 10m) unless last_over_time(account:edge_waf_blocked_per_minute:avg1h[12m30s]) >= 10) + 40))) == 1"
          },
          {
            "record": "account:edge_waf_blocked_per_minute:active",
            "expr": "clamp_max(sum_over_time(account:edge_waf_blocked_per_minute:above[11m30s]) >= 6, 1)"
          },
          {
            "record": "account:edge_waf_blocked_per_minute:since",
            "expr": "(last_over_time(account:edge_waf_blocked_per_minute:since[59m30s]) or time() + 0 * account:edge_waf_blocked_per_minute:active) and account:edge_waf_blocked_per_minute:active"
          },
          {
            "record": "account:edge_waf_blocked_per_minute:accepted",
            "expr": "time() - account:edge_waf_blocked_per_minute:since > 172800\nor\naccount:edge_waf_blocked_per_minute:sum and on (account, product) account:edge_waf_threats_per_minute:accepted"
          },
          {
            "record": "account:edge_waf_blocked_per_minute:excess",
            "expr": "account:edge_waf_blocked_per_minute:sum - (last_over_time(account:edge_waf_blocked_per_minute:seasonal[12m30s]) or last_over_time(account:edge_waf_blocked_per_minute:avg1h[12m30s]) or 0 * account:edge_waf_blocked_per_minute:sum) and (account:edge_waf_blocked_per_minute:above or account:edge_waf_blocked_per_minute:active) unless account:edge_waf_blocked_per_minute:accepted"
          },
          {
            "record": "configuration:edge_waf_threats_by_family_per_minute:sum",
            "expr": "sum by (account, product, configuration, family) (max by (account, product, configuration, configuration_id, family) (edge_waf_threats_by_family_per_minute))"
          },
          {
            "record": "configuration:edge_waf_threats_by_family_per_minute:limit",
            "expr": "((configuration:edge_waf_threats_by_family_per_minute:limit > ((last_over_time(configuration:edge_waf_threats_by_family_per_minute:usual[12m30s]) or last_over_time(configuration:edge_waf_threats_by_family_per_minute:avg1h[12m30s]) or 0 * configuration:edge_waf_threats_by_family_per_minute:sum) + (last_over_time(configuration:edge_waf_threats_by_family_per_minute:threshold[12m30s]) or 0 * (configuration:edge_waf_threats_by_family_per_minute:sum and last_over_time(configuration:edge_waf_threats_by_family_per_minute:sum[59m30s] offset 10m) unless last_over_time(configuration:edge_waf_threats_by_family_per_minute:avg1h[12m30s]) >= 10) + 40)) / 2 or ((last_over_time(configuration:edge_waf_threats_by_family_per_minute:usual[12m30s]) or last_over_time(configuration:edge_waf_threats_by_family_per_minute:avg1h[12m30s]) or 0 * configuration:edge_waf_threats_by_family_per_minute:sum) + (last_over_time(configuration:edge_waf_threats_by_family_per_minute:threshold[12m30s]) or 0 * (configuration:edge_waf_threats_by_family_per_minute:sum and last_over_time(configuration:edge_waf_threats_by_family_per_minute:sum[59m30s] offset 10m) unless last_over_time(configuration:edge_waf_threats_by_family_per_minute:avg1h[12m30s]) >= 10) + 40)) / 2 and configuration:edge_waf_threats_by_family_per_minute:limit) < (last_over_time(configuration:edge_waf_threats_by_family_per_minute:threshold[12m30s]) or 0 * (configuration:edge_waf_threats_by_family_per_minute:sum and last_over_time(configuration:edge_waf_threats_by_family_per_minute:sum[59m30s] offset 10m) unless last_over_time(configuration:edge_waf_threats_by_family_per_minute:avg1h[12m30s]) >= 10) + 40) or (last_over_time(configuration:edge_waf_threats_by_family_per_minute:threshold[12m30s]) or 0 * (configuration:edge_waf_threats_by_family_per_minute:sum and last_over_time(configuration:edge_waf_threats_by_family_per_minute:sum[59m30s] offset 10m) unless last_over_time(configuration:edge_waf_threats_by_family_per_minute:avg1h[12m30s]) >= 10) + 40)) and configuration:edge_waf_threats_by_family_per_minute:active"
          },
          {
            "record": "configuration:edge_waf_threats_by_family_per_minute:above",
            "expr": "configuration:edge_waf_threats_by_family_per_minute:sum > bool (1.5 * (last_over_time(configuration:edge_waf_threats_by_family_per_minute:usual[12m30s]) or last_over_time(configuration:edge_waf_threats_by_family_per_minute:avg1h[12m30s]) or 0 * configuration:edge_waf_threats_by_family_per_minute:sum) * on (account, product, configuration) group_left () clamp_min((configuration:edge_requests_per_minute:sum + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30), 1) > (configuration:edge_waf_threats_by_family_per_minute:limit or (last_over_time(configuration:edge_waf_threats_by_family_per_minute:threshold[12m30s]) or 0 * (configuration:edge_waf_threats_by_family_per_minute:sum and last_over_time(configuration:edge_waf_threats_by_family_per_minute:sum[59m30s] offset 10m) unless last_over_time(configuration:edge_waf_threats_by_family_per_minute:avg1h[12m30s]) >= 10) + 40)) or (configuration:edge_waf_threats_by_family_per_minute:limit or (last_over_time(configuration:edge_waf_threats_by_family_per_minute:threshold[12m30s]) or 0 * (configuration:edge_waf_threats_by_family_per_minute:sum and last_over_time(configuration:edge_waf_threats_by_family_per_minute:sum[59m30s] offset 10m) unless last_over_time(configuration:edge_waf_threats_by_family_per_minute:avg1h[12m30s]) >= 10) + 40))) == 1"
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
            "expr": "time() - configuration:edge_waf_threats_by_family_per_minute:since > 172800\nor\nconfiguration:edge_waf_threats_by_family_per_minute:sum and on (account, product, configuration) configuration:edge_waf_threats_per_minute:accepted"
          },
          {
            "record": "configuration:edge_waf_threats_by_family_per_minute:excess",
            "expr": "configuration:edge_waf_threats_by_family_per_minute:sum - (last_over_time(configuration:edge_waf_threats_by_family_per_minute:seasonal[12m30s]) or last_over_time(configuration:edge_waf_threats_by_family_per_minute:avg1h[12m30s]) or 0 * configuration:edge_waf_threats_by_family_per_minute:sum) and (configuration:edge_waf_threats_by_family_per_minute:above or configuration:edge_waf_threats_by_family_per_minute:active) unless configuration:edge_waf_threats_by_family_per_minute:accepted"
          },
          {
            "record": "configuration:edge_error_responses_per_minute:sum",
            "expr": "sum by (account, product, configuration, class, code) (max by (account, product, configuration, configuration_id, class, code) (edge_responses_per_minute{class=~\"4xx|5xx\"}))"
          },
          {
            "record": "configuration:edge_error_responses_per_minute:limit",
            "expr": "((configuration:edge_error_responses_per_minute:limit > ((last_over_time(configuration:edge_error_responses_per_minute:usual[12m30s]) or last_over_time(configuration:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * configuration:edge_error_responses_per_minute:sum) + (last_over_time(configuration:edge_error_responses_per_minute:threshold[12m30s]) or 0 * (configuration:edge_error_responses_per_minute:sum and last_over_time(configuration:edge_error_responses_per_minute:sum[59m30s] offset 10m) unless last_over_time(configuration:edge_error_responses_per_minute:avg1h[12m30s]) >= 10) + 60)) / 2 or ((last_over_time(configuration:edge_error_responses_per_minute:usual[12m30s]) or last_over_time(configuration:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * configuration:edge_error_responses_per_minute:sum) + (last_over_time(configuration:edge_error_responses_per_minute:threshold[12m30s]) or 0 * (configuration:edge_error_responses_per_minute:sum and last_over_time(configuration:edge_error_responses_per_minute:sum[59m30s] offset 10m) unless last_over_time(configuration:edge_error_responses_per_minute:avg1h[12m30s]) >= 10) + 60)) / 2 and configuration:edge_error_responses_per_minute:limit) < (last_over_time(configuration:edge_error_responses_per_minute:threshold[12m30s]) or 0 * (configuration:edge_error_responses_per_minute:sum and last_over_time(configuration:edge_error_responses_per_minute:sum[59m30s] offset 10m) unless last_over_time(configuration:edge_error_responses_per_minute:avg1h[12m30s]) >= 10) + 60) or (last_over_time(configuration:edge_error_responses_per_minute:threshold[12m30s]) or 0 * (configuration:edge_error_responses_per_minute:sum and last_over_time(configuration:edge_error_responses_per_minute:sum[59m30s] offset 10m) unless last_over_time(configuration:edge_error_responses_per_minute:avg1h[12m30s]) >= 10) + 60)) and configuration:edge_error_responses_per_minute:active"
          },
          {
            "record": "configuration:edge_error_responses_per_minute:above",
            "expr": "configuration:edge_error_responses_per_minute:sum > bool (1.5 * (last_over_time(configuration:edge_error_responses_per_minute:usual[12m30s]) or last_over_time(configuration:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * configuration:edge_error_responses_per_minute:sum) * on (account, product, configuration) group_left () clamp_min((configuration:edge_requests_per_minute:sum + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30), 1) > (configuration:edge_error_responses_per_minute:limit or (last_over_time(configuration:edge_error_responses_per_minute:threshold[12m30s]) or 0 * (configuration:edge_error_responses_per_minute:sum and last_over_time(configuration:edge_error_responses_per_minute:sum[59m30s] offset 10m) unless last_over_time(configuration:edge_error_responses_per_minute:avg1h[12m30s]) >= 10) + 60)) or (configuration:edge_error_responses_per_minute:limit or (last_over_time(configuration:edge_error_responses_per_minute:threshold[12m30s]) or 0 * (configuration:edge_error_responses_per_minute:sum and last_over_time(configuration:edge_error_responses_per_minute:sum[59m30s] offset 10m) unless last_over_time(configuration:edge_error_responses_per_minute:avg1h[12m30s]) >= 10) + 60))) == 1"
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
            "expr": "time() - configuration:edge_error_responses_per_minute:since > 172800\nor\nconfiguration:edge_error_responses_per_minute:sum{class=\"4xx\"} and on (account, product, configuration) configuration:edge_waf_threats_per_minute:accepted"
          },
          {
            "record": "configuration:edge_error_responses_per_minute:excess",
            "expr": "configuration:edge_error_responses_per_minute:sum - (last_over_time(configuration:edge_error_responses_per_minute:seasonal[12m30s]) or last_over_time(configuration:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * configuration:edge_error_responses_per_minute:sum) and (configuration:edge_error_responses_per_minute:above or configuration:edge_error_responses_per_minute:active) unless configuration:edge_error_responses_per_minute:accepted"
          },
          {
            "record": "account:edge_error_responses_per_minute:sum",
            "expr": "sum by (account, product, class, code) (configuration:edge_error_responses_per_minute:sum)"
          },
          {
            "record": "account:edge_error_responses_per_minute:limit",
            "expr": "((account:edge_error_responses_per_minute:limit > ((last_over_time(account:edge_error_responses_per_minute:usual[12m30s]) or last_over_time(account:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * account:edge_error_responses_per_minute:sum) + (last_over_time(account:edge_error_responses_per_minute:threshold[12m30s]) or 0 * (account:edge_error_responses_per_minute:sum and last_over_time(account:edge_error_responses_per_minute:sum[59m30s] offset 10m) unless last_over_time(account:edge_error_responses_per_minute:avg1h[12m30s]) >= 10) + 60)) / 2 or ((last_over_time(account:edge_error_responses_per_minute:usual[12m30s]) or last_over_time(account:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * account:edge_error_responses_per_minute:sum) + (last_over_time(account:edge_error_responses_per_minute:threshold[12m30s]) or 0 * (account:edge_error_responses_per_minute:sum and last_over_time(account:edge_error_responses_per_minute:sum[59m30s] offset 10m) unless last_over_time(account:edge_error_responses_per_minute:avg1h[12m30s]) >= 10) + 60)) / 2 and account:edge_error_responses_per_minute:limit) < (last_over_time(account:edge_error_responses_per_minute:threshold[12m30s]) or 0 * (account:edge_error_responses_per_minute:sum and last_over_time(account:edge_error_responses_per_minute:sum[59m30s] offset 10m) unless last_over_time(account:edge_error_responses_per_minute:avg1h[12m30s]) >= 10) + 60) or (last_over_time(account:edge_error_responses_per_minute:threshold[12m30s]) or 0 * (account:edge_error_responses_per_minute:sum and last_over_time(account:edge_error_responses_per_minute:sum[59m30s] offset 10m) unless last_over_time(account:edge_error_responses_per_minute:avg1h[12m30s]) >= 10) + 60)) and account:edge_error_responses_per_minute:active"
          },
          {
            "record": "account:edge_error_responses_per_minute:above",
            "expr": "account:edge_error_responses_per_minute:sum > bool (1.5 * sum by (account, product, class, code) ((last_over_time(configuration:edge_error_responses_per_minute:usual[12m30s]) or last_over_time(configuration:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * configuration:edge_error_responses_per_minute:sum) * on (account, product, configuration) group_left () clamp_min((configuration:edge_requests_per_minute:sum + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30), 1)) > (account:edge_error_responses_per_minute:limit or (last_over_time(account:edge_error_responses_per_minute:threshold[12m30s]) or 0 * (account:edge_error_responses_per_minute:sum and last_over_time(account:edge_error_responses_per_minute:sum[59m30s] offset 10m) unless last_over_time(account:edge_error_responses_per_minute:avg1h[12m30s]) >= 10) + 60)) or (account:edge_error_responses_per_minute:limit or (last_over_time(account:edge_error_responses_per_minute:threshold[12m30s]) or 0 * (account:edge_error_responses_per_minute:sum and last_over_time(account:edge_error_responses_per_minute:sum[59m30s] offset 10m) unless last_over_time(account:edge_error_responses_per_minute:avg1h[12m30s]) >= 10) + 60))) == 1"
          },
          {
            "record": "account:edge_error_responses_per_minute:active",
            "expr": "clamp_max(sum_over_time(account:edge_error_responses_per_minute:above[11m30s]) >= 6, 1)"
          },
          {
            "record": "account:edge_error_responses_per_minute:since",
            "expr": "(last_over_time(account:edge_error_responses_per_minute:since[59m30s]) or time() + 0 * account:edge_error_responses_per_minute:active) and account:edge_error_responses_per_minute:active"
          },
          {
            "record": "account:edge_error_responses_per_minute:accepted",
            "expr": "time() - account:edge_error_responses_per_minute:since > 172800\nor\naccount:edge_error_responses_per_minute:sum{class=\"4xx\"} and on (account, product) account:edge_waf_threats_per_minute:accepted"
          },
          {
            "record": "account:edge_error_responses_per_minute:excess",
            "expr": "account:edge_error_responses_per_minute:sum - (last_over_time(account:edge_error_responses_per_minute:seasonal[12m30s]) or last_over_time(account:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * account:edge_error_responses_per_minute:sum) and (account:edge_error_responses_per_minute:above or account:edge_error_responses_per_minute:active) unless account:edge_error_responses_per_minute:accepted"
          },
          {
            "record": "configuration:edge_client_error_ratio:now",
            "expr": "sum by (account, product, configuration) (configuration:edge_error_responses_per_minute:sum{class=\"4xx\"})\n/\n(configuration:edge_responses_per_minute:sum >= 200)"
          },
          {
            "record": "configuration:edge_client_error_ratio:limit",
            "expr": "((configuration:edge_client_error_ratio:limit > ((last_over_time(configuration:edge_client_error_ratio:usual[12m30s]) or last_over_time(configuration:edge_client_error_ratio:avg1h[12m30s]) or 0 * configuration:edge_client_error_ratio:now) + (last_over_time(configuration:edge_client_error_ratio:threshold[12m30s]) or 0 * (configuration:edge_client_error_ratio:now and last_over_time(configuration:edge_client_error_ratio:now[59m30s] offset 10m) unless last_over_time(configuration:edge_client_error_ratio:avg1h[12m30s]) >= 0.05) + 0.2)) / 2 or ((last_over_time(configuration:edge_client_error_ratio:usual[12m30s]) or last_over_time(configuration:edge_client_error_ratio:avg1h[12m30s]) or 0 * configuration:edge_client_error_ratio:now) + (last_over_time(configuration:edge_client_error_ratio:threshold[12m30s]) or 0 * (configuration:edge_client_error_ratio:now and last_over_time(configuration:edge_client_error_ratio:now[59m30s] offset 10m) unless last_over_time(configuration:edge_client_error_ratio:avg1h[12m30s]) >= 0.05) + 0.2)) / 2 and configuration:edge_client_error_ratio:limit) < (last_over_time(configuration:edge_client_error_ratio:threshold[12m30s]) or 0 * (configuration:edge_client_error_ratio:now and last_over_time(configuration:edge_client_error_ratio:now[59m30s] offset 10m) unless last_over_time(configuration:edge_client_error_ratio:avg1h[12m30s]) >= 0.05) + 0.2) or (last_over_time(configuration:edge_client_error_ratio:threshold[12m30s]) or 0 * (configuration:edge_client_error_ratio:now and last_over_time(configuration:edge_client_error_ratio:now[59m30s] offset 10m) unless last_over_time(configuration:edge_client_error_ratio:avg1h[12m30s]) >= 0.05) + 0.2)) and configuration:edge_client_error_ratio:active"
          },
          {
            "record": "configuration:edge_client_error_ratio:above",
            "expr": "configuration:edge_client_error_ratio:now > bool (configuration:edge_client_error_ratio:limit or (last_over_time(configuration:edge_client_error_ratio:threshold[12m30s]) or 0 * (configuration:edge_client_error_ratio:now and last_over_time(configuration:edge_client_error_ratio:now[59m30s] offset 10m) unless last_over_time(configuration:edge_client_error_ratio:avg1h[12m30s]) >= 0.05) + 0.2)) == 1"
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
            "expr": "time() - configuration:edge_client_error_ratio:since > 172800\nor\nconfiguration:edge_client_error_ratio:now and on (account, product, configuration) configuration:edge_waf_threats_per_minute:accepted"
          },
          {
            "record": "configuration:edge_client_error_ratio:excess",
            "expr": "configuration:edge_client_error_ratio:now - (last_over_time(configuration:edge_client_error_ratio:seasonal[12m30s]) or last_over_time(configuration:edge_client_error_ratio:avg1h[12m30s]) or 0 * configuration:edge_client_error_ratio:now) and (configuration:edge_client_error_ratio:above or configuration:edge_client_error_ratio:active) unless configuration:edge_client_error_ratio:accepted"
          },
          {
            "record": "account:edge_client_error_ratio:now",
            "expr": "sum by (account, product) (account:edge_error_responses_per_minute:sum{class=\"4xx\"})\n/\n(account:edge_responses_per_minute:sum >= 200)"
          },
          {
            "record": "account:edge_client_error_ratio:limit",
            "expr": "((account:edge_client_error_ratio:limit > ((last_over_time(account:edge_client_error_ratio:usual[12m30s]) or last_over_time(account:edge_client_error_ratio:avg1h[12m30s]) or 0 * account:edge_client_error_ratio:now) + (last_over_time(account:edge_client_error_ratio:threshold[12m30s]) or 0 * (account:edge_client_error_ratio:now and last_over_time(account:edge_client_error_ratio:now[59m30s] offset 10m) unless last_over_time(account:edge_client_error_ratio:avg1h[12m30s]) >= 0.05) + 0.2)) / 2 or ((last_over_time(account:edge_client_error_ratio:usual[12m30s]) or last_over_time(account:edge_client_error_ratio:avg1h[12m30s]) or 0 * account:edge_client_error_ratio:now) + (last_over_time(account:edge_client_error_ratio:threshold[12m30s]) or 0 * (account:edge_client_error_ratio:now and last_over_time(account:edge_client_error_ratio:now[59m30s] offset 10m) unless last_over_time(account:edge_client_error_ratio:avg1h[12m30s]) >= 0.05) + 0.2)) / 2 and account:edge_client_error_ratio:limit) < (last_over_time(account:edge_client_error_ratio:threshold[12m30s]) or 0 * (account:edge_client_error_ratio:now and last_over_time(account:edge_client_error_ratio:now[59m30s] offset 10m) unless last_over_time(account:edge_client_error_ratio:avg1h[12m30s]) >= 0.05) + 0.2) or (last_over_time(account:edge_client_error_ratio:threshold[12m30s]) or 0 * (account:edge_client_error_ratio:now and last_over_time(account:edge_client_error_ratio:now[59m30s] offset 10m) unless last_over_time(account:edge_client_error_ratio:avg1h[12m30s]) >= 0.05) + 0.2)) and account:edge_client_error_ratio:active"
          },
          {
            "record": "account:edge_client_error_ratio:above",
            "expr": "account:edge_client_error_ratio:now > bool (account:edge_client_error_ratio:limit or (last_over_time(account:edge_client_error_ratio:threshold[12m30s]) or 0 * (account:edge_client_error_ratio:now and last_over_time(account:edge_client_error_ratio:now[59m30s] offset 10m) unless last_over_time(account:edge_client_error_ratio:avg1h[12m30s]) >= 0.05) + 0.2)) == 1"
          },
          {
            "record": "account:edge_client_error_ratio:active",
            "expr": "clamp_max(sum_over_time(account:edge_client_error_ratio:above[11m30s]) >= 6, 1)"
          },
          {
            "record": "account:edge_client_error_ratio:since",
            "expr": "(last_over_time(account:edge_client_error_ratio:since[59m30s]) or time() + 0 * account:edge_client_error_ratio:active) and account:edge_client_error_ratio:active"
          },
          {
            "record": "account:edge_client_error_ratio:accepted",
            "expr": "time() - account:edge_client_error_ratio:since > 172800\nor\naccount:edge_client_error_ratio:now and on (account, product) account:edge_waf_threats_per_minute:accepted"
          },
          {
            "record": "account:edge_client_error_ratio:excess",
            "expr": "account:edge_client_error_ratio:now - (last_over_time(account:edge_client_error_ratio:seasonal[12m30s]) or last_over_time(account:edge_client_error_ratio:avg1h[12m30s]) or 0 * account:edge_client_error_ratio:now) and (account:edge_client_error_ratio:above or account:edge_client_error_ratio:active) unless account:edge_client_error_ratio:accepted"
          },
          {
            "record": "configuration:edge_cache_miss_ratio:now",
            "expr": "sum by (account, product, configuration) (max by (account, product, configuration, configuration_id, cache) (edge_requests_by_cache_per_minute{cache=\"missed\"}))\n/\n(sum by (account, product, configuration) (max by (account, product, configuration, configuration_id, cache) (edge_requests_by_cache_per_minute)) >= 300)"
          },
          {
            "record": "configuration:edge_cache_miss_ratio:limit",
            "expr": "((configuration:edge_cache_miss_ratio:limit > (last_over_time(configuration:edge_cache_miss_ratio:usual[12m30s]) + last_over_time(configuration:edge_cache_miss_ratio:threshold[12m30s])) / 2 or (last_over_time(configuration:edge_cache_miss_ratio:usual[12m30s]) + last_over_time(configuration:edge_cache_miss_ratio:threshold[12m30s])) / 2 and configuration:edge_cache_miss_ratio:limit) < last_over_time(configuration:edge_cache_miss_ratio:threshold[12m30s]) or last_over_time(configuration:edge_cache_miss_ratio:threshold[12m30s])) and configuration:edge_cache_miss_ratio:active"
          },
          {
            "record": "configuration:edge_cache_miss_ratio:above",
            "expr": "configuration:edge_cache_miss_ratio:now > bool (configuration:edge_cache_miss_ratio:limit or last_over_time(configuration:edge_cache_miss_ratio:threshold[12m30s])) == 1"
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
            "expr": "time() - configuration:edge_cache_miss_ratio:since > 172800"
          },
          {
            "record": "configuration:edge_cache_miss_ratio:excess",
            "expr": "configuration:edge_cache_miss_ratio:now - last_over_time(configuration:edge_cache_miss_ratio:seasonal[12m30s]) and (configuration:edge_cache_miss_ratio:above or configuration:edge_cache_miss_ratio:active) unless configuration:edge_cache_miss_ratio:accepted"
          },
          {
            "record": "account:edge_cache_miss_ratio:now",
            "expr": "sum by (account, product) (max by (account, product, configuration, configuration_id, cache) (edge_requests_by_cache_per_minute{cache=\"missed\"}))\n/\n(sum by (account, product) (max by (account, product, configuration, configuration_id, cache) (edge_requests_by_cache_per_minute)) >= 300)"
          },
          {
            "record": "account:edge_cache_miss_ratio:limit",
            "expr": "((account:edge_cache_miss_ratio:limit > (last_over_time(account:edge_cache_miss_ratio:usual[12m30s]) + last_over_time(account:edge_cache_miss_ratio:threshold[12m30s])) / 2 or (last_over_time(account:edge_cache_miss_ratio:usual[12m30s]) + last_over_time(account:edge_cache_miss_ratio:threshold[12m30s])) / 2 and account:edge_cache_miss_ratio:limit) < last_over_time(account:edge_cache_miss_ratio:threshold[12m30s]) or last_over_time(account:edge_cache_miss_ratio:threshold[12m30s])) and account:edge_cache_miss_ratio:active"
          },
          {
            "record": "account:edge_cache_miss_ratio:above",
            "expr": "account:edge_cache_miss_ratio:now > bool (account:edge_cache_miss_ratio:limit or last_over_time(account:edge_cache_miss_ratio:threshold[12m30s])) == 1"
          },
          {
            "record": "account:edge_cache_miss_ratio:active",
            "expr": "clamp_max(sum_over_time(account:edge_cache_miss_ratio:above[11m30s]) >= 6, 1)"
          },
          {
            "record": "account:edge_cache_miss_ratio:since",
            "expr": "(last_over_time(account:edge_cache_miss_ratio:since[59m30s]) or time() + 0 * account:edge_cache_miss_ratio:active) and account:edge_cache_miss_ratio:active"
          },
          {
            "record": "account:edge_cache_miss_ratio:accepted",
            "expr": "time() - account:edge_cache_miss_ratio:since > 172800"
          },
          {
            "record": "account:edge_cache_miss_ratio:excess",
            "expr": "account:edge_cache_miss_ratio:now - last_over_time(account:edge_cache_miss_ratio:seasonal[12m30s]) and (account:edge_cache_miss_ratio:above or account:edge_cache_miss_ratio:active) unless account:edge_cache_miss_ratio:accepted"
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
            "record": "configuration:edge_responses_per_minute:avg6h",
            "expr": "avg_over_time(configuration:edge_responses_per_minute:sum[5h59m30s])"
          },
          {
            "record": "configuration:edge_server_errors_per_minute:avg6h",
            "expr": "avg_over_time(configuration:edge_server_errors_per_minute:sum[5h59m30s])"
          },
          {
            "record": "configuration:edge_server_error_ratio:avg6h",
            "expr": "configuration:edge_server_errors_per_minute:avg6h\n/\n(configuration:edge_responses_per_minute:avg6h > 0)"
          },
          {
            "record": "configuration:edge_server_error_ratio:avg3d",
            "expr": "avg_over_time(configuration:edge_server_errors_per_minute:avg6h[2d23h57m30s])\n/\n(avg_over_time(configuration:edge_responses_per_minute:avg6h[2d23h57m30s]) > 0)"
          },
          {
            "record": "configuration:edge_server_error_ratio:always",
            "expr": "quantile_over_time(0.5, configuration:edge_server_error_ratio:avg6h[2d23h57m30s])\nand last_over_time(configuration:edge_server_error_ratio:avg6h[2d23h57m30s] offset 6h)"
          },
          {
            "record": "account:edge_responses_per_minute:avg6h",
            "expr": "avg_over_time(account:edge_responses_per_minute:sum[5h59m30s])"
          },
          {
            "record": "account:edge_server_errors_per_minute:avg6h",
            "expr": "avg_over_time(account:edge_server_errors_per_minute:sum[5h59m30s])"
          },
          {
            "record": "account:edge_server_error_ratio:avg6h",
            "expr": "account:edge_server_errors_per_minute:avg6h\n/\n(account:edge_responses_per_minute:avg6h > 0)"
          },
          {
            "record": "account:edge_server_error_ratio:avg3d",
            "expr": "avg_over_time(account:edge_server_errors_per_minute:avg6h[2d23h57m30s])\n/\n(avg_over_time(account:edge_responses_per_minute:avg6h[2d23h57m30s]) > 0)"
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
            "record": "configuration:edge_server_error_ratio:avg30m",
            "expr": "avg_over_time(configuration:edge_server_errors_per_minute:sum[29m30s])\n/\n(avg_over_time(configuration:edge_responses_per_minute:sum[29m30s]) > 0)"
          },
          {
            "record": "configuration:edge_server_errors_per_minute:failing",
            "expr": "configuration:edge_server_errors_per_minute:sum > bool configuration:edge_responses_per_minute:sum * 0.006 == 1"
          },
          {
            "record": "configuration:edge_server_errors_per_minute:paging",
            "expr": "configuration:edge_server_error_ratio:avg5m > 0.0144\nand\nconfiguration:edge_server_error_ratio:avg30m > 0.0144\nand\n(sum_over_time(configuration:edge_server_errors_per_minute:failing[9m30s]) >= 5 or sum_over_time(configuration:edge_server_errors_per_minute:failing[59m30s]) >= 8)\nand\navg_over_time(configuration:edge_server_errors_per_minute:sum[4m30s]) >= 1.5\nand\n(avg_over_time(configuration:edge_server_errors_per_minute:sum[29m30s]) - 3 * (last_over_time(configuration:edge_server_error_ratio:always[12m30s] offset 6h) or last_over_time(configuration:edge_server_error_ratio:always[12m30s])) * avg_over_time(configuration:edge_responses_per_minute:sum[29m30s]) or avg_over_time(configuration:edge_server_errors_per_minute:sum[29m30s])) >= 0.5\nand\navg_over_time(configuration:edge_responses_per_minute:sum[29m30s]) >= 10\nor\nconfiguration:edge_server_error_ratio:avg5m > 0.006\nand\nconfiguration:edge_server_error_ratio:avg30m > 0.006\nand\nconfiguration:edge_server_error_ratio:avg6h > 0.006\nand\nsum_over_time(configuration:edge_server_errors_per_minute:failing[29m30s]) >= 10\nand\navg_over_time(configuration:edge_server_errors_per_minute:sum[29m30s]) - 3 * (last_over_time(configuration:edge_server_error_ratio:always[12m30s] offset 6h) or last_over_time(configuration:edge_server_error_ratio:always[12m30s])) * avg_over_time(configuration:edge_responses_per_minute:sum[29m30s]) >= 0.5\nand\navg_over_time(configuration:edge_responses_per_minute:sum[29m30s]) >= 10"
          },
          {
            "record": "account:edge_server_error_ratio:avg5m",
            "expr": "avg_over_time(account:edge_server_errors_per_minute:sum[4m30s])\n/\n(avg_over_time(account:edge_responses_per_minute:sum[4m30s]) > 0)"
          },
          {
            "record": "account:edge_server_error_ratio:avg30m",
            "expr": "avg_over_time(account:edge_server_errors_per_minute:sum[29m30s])\n/\n(avg_over_time(account:edge_responses_per_minute:sum[29m30s]) > 0)"
          },
          {
            "record": "account:edge_server_errors_per_minute:failing",
            "expr": "account:edge_server_errors_per_minute:sum > bool account:edge_responses_per_minute:sum * 0.006 == 1"
          },
          {
            "record": "account:edge_server_errors_per_minute:paging",
            "expr": "account:edge_server_error_ratio:avg5m > 0.0144\nand\naccount:edge_server_error_ratio:avg30m > 0.0144\nand\n(sum_over_time(account:edge_server_errors_per_minute:failing[9m30s]) >= 5 or sum_over_time(account:edge_server_errors_per_minute:failing[59m30s]) >= 8)\nand\navg_over_time(account:edge_server_errors_per_minute:sum[4m30s]) >= 15\nand\n(avg_over_time(account:edge_server_errors_per_minute:sum[29m30s]) - 3 * (last_over_time(account:edge_server_error_ratio:always[12m30s] offset 6h) or last_over_time(account:edge_server_error_ratio:always[12m30s])) * avg_over_time(account:edge_responses_per_minute:sum[29m30s]) or avg_over_time(account:edge_server_errors_per_minute:sum[29m30s])) >= 5\nand\navg_over_time(account:edge_responses_per_minute:sum[29m30s]) >= 10\nor\naccount:edge_server_error_ratio:avg5m > 0.006\nand\naccount:edge_server_error_ratio:avg30m > 0.006\nand\naccount:edge_server_error_ratio:avg6h > 0.006\nand\nsum_over_time(account:edge_server_errors_per_minute:failing[29m30s]) >= 10\nand\navg_over_time(account:edge_server_errors_per_minute:sum[29m30s]) - 3 * (last_over_time(account:edge_server_error_ratio:always[12m30s] offset 6h) or last_over_time(account:edge_server_error_ratio:always[12m30s])) * avg_over_time(account:edge_responses_per_minute:sum[29m30s]) >= 10\nand\navg_over_time(account:edge_responses_per_minute:sum[29m30s]) >= 10"
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
            "expr": "(sum_over_time(configuration:edge_requests_per_minute:sum[59m30s]) - sum_over_time(configuration:edge_requests_per_minute:excess[59m30s]) or sum_over_time(configuration:edge_requests_per_minute:sum[59m30s]))\n/\ncount_over_time(configuration:edge_requests_per_minute:sum[59m30s])"
          },
          {
            "record": "configuration:edge_requests_per_minute:seasonal",
            "expr": "configuration:edge_requests_per_minute:avg1h offset 10m and last_over_time(configuration:edge_requests_per_minute:accepted[23h59m30s])\nor\nconfiguration:edge_requests_per_minute:avg1h offset 23h30m and last_over_time(configuration:edge_requests_per_minute:accepted[2w6d23h59m30s])\nor\nquantile without (part) (0.5,\n  label_replace(configuration:edge_requests_per_minute:avg1h offset 6d23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(configuration:edge_requests_per_minute:avg1h offset 1w6d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(configuration:edge_requests_per_minute:avg1h offset 2w6d23h30m, \"part\", \"3\", \"\", \"\")\n  or\n  label_replace(configuration:edge_requests_per_minute:avg1h offset 23h30m, \"part\", \"yesterday\", \"\", \"\")\n) and configuration:edge_requests_per_minute:avg1h offset 6d23h30m\nor\nmax without (part) (\n  label_replace(configuration:edge_requests_per_minute:avg1h offset 23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(configuration:edge_requests_per_minute:avg1h offset 1d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(configuration:edge_requests_per_minute:avg1h offset 2d23h30m, \"part\", \"3\", \"\", \"\")\n)\nor\nconfiguration:edge_requests_per_minute:avg1h offset 10m"
          },
          {
            "record": "configuration:edge_requests_per_minute:variation1h",
            "expr": "stddev_over_time(configuration:edge_requests_per_minute:sum[59m30s])\n/\n(configuration:edge_requests_per_minute:avg1h + 300)\nunless count_over_time(configuration:edge_requests_per_minute:excess[59m30s])"
          },
          {
            "record": "configuration:edge_requests_per_minute:drift1h",
            "expr": "(configuration:edge_requests_per_minute:avg1h + 300)\n/\n(configuration:edge_requests_per_minute:seasonal offset 30m + 300)"
          },
          {
            "record": "configuration:edge_requests_per_minute:usual",
            "expr": "(configuration:edge_requests_per_minute:seasonal + 300) * clamp(quantile_over_time(0.9, configuration:edge_requests_per_minute:drift1h[23h57m30s]), 1, 2.5) - 300\nor\nconfiguration:edge_requests_per_minute:seasonal"
          },
          {
            "record": "configuration:edge_requests_per_minute:threshold",
            "expr": "max without (part) (\n  label_replace(configuration:edge_requests_per_minute:seasonal * 3, \"part\", \"multiple\", \"\", \"\")\n  or\n  label_replace(configuration:edge_requests_per_minute:usual * 2.25, \"part\", \"raised\", \"\", \"\")\n  or\n  label_replace(((configuration:edge_requests_per_minute:seasonal + 300) * clamp(min_over_time(configuration:edge_requests_per_minute:drift1h[5h57m30s]), 1, 2.5) - 300) * 2.25, \"part\", \"recent\", \"\", \"\")\n  or\n  label_replace(configuration:edge_requests_per_minute:usual + 4 * quantile_over_time(0.5, configuration:edge_requests_per_minute:variation1h[5h57m30s]) * (configuration:edge_requests_per_minute:usual + 300), \"part\", \"noise\", \"\", \"\")\n  or\n  label_replace(0 * configuration:edge_requests_per_minute:usual + 3000, \"part\", \"floor\", \"\", \"\")\n)"
          },
          {
            "record": "configuration:edge_requests_per_minute:lower_threshold",
            "expr": "(\nmin without (part) (\n  label_replace(min_over_time(configuration:edge_requests_per_minute:avg1h[1h27m30s] offset 6d22h45m), \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(min_over_time(configuration:edge_requests_per_minute:avg1h[1h27m30s] offset 1w6d22h45m), \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(min_over_time(configuration:edge_requests_per_minute:avg1h[1h27m30s] offset 2w6d22h45m), \"part\", \"3\", \"\", \"\")\n  or\n  label_replace(min_over_time(configuration:edge_requests_per_minute:avg1h[1h27m30s] offset 22h45m), \"part\", \"yesterday\", \"\", \"\")\n) * clamp(configuration:edge_requests_per_minute:avg1h / (configuration:edge_requests_per_minute:seasonal offset 30m > 0), 0.7, 1) * 0.25\nand configuration:edge_requests_per_minute:avg1h offset 6d23h30m\nor\nmin without (part) (\n  label_replace(min_over_time(configuration:edge_requests_per_minute:avg1h[1h27m30s] offset 22h45m), \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(min_over_time(configuration:edge_requests_per_minute:avg1h[1h27m30s] offset 1d22h45m), \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(min_over_time(configuration:edge_requests_per_minute:avg1h[1h27m30s] offset 2d22h45m), \"part\", \"3\", \"\", \"\")\n) * 0.25 / 2\nand min_over_time(configuration:edge_requests_per_minute:avg1h[23h57m30s]) > 0.05 * max_over_time(configuration:edge_requests_per_minute:avg1h[23h57m30s])\nunless configuration:edge_requests_per_minute:avg1h offset 6d23h30m\n)\nand (\navg_over_time(configuration:edge_requests_per_minute:avg1h[23h57m30s]) >= 60\nand\nmin_over_time(configuration:edge_requests_per_minute:avg1h[1h27m30s] offset 22h45m) >= 0.125 * 60\nor\nconfiguration:edge_requests_per_minute:fallen\n)\nunless last_over_time(configuration:edge_requests_per_minute:accepted[1w23h59m30s])"
          },
          {
            "record": "configuration:edge_requests_per_minute:lowest_threshold",
            "expr": "min_over_time(configuration:edge_requests_per_minute:avg1h[23h57m30s]) * 0.25 / 2\nand min_over_time(configuration:edge_requests_per_minute:avg1h[1h27m30s] offset 22h45m) >= avg_over_time(configuration:edge_requests_per_minute:avg1h[23h57m30s]) / 2\nand (\navg_over_time(configuration:edge_requests_per_minute:avg1h[23h57m30s]) >= 60\nand\nmin_over_time(configuration:edge_requests_per_minute:avg1h[1h27m30s] offset 22h45m) >= 0.125 * 60\nor\nconfiguration:edge_requests_per_minute:fallen\n)\nunless last_over_time(configuration:edge_requests_per_minute:accepted[1w23h59m30s])\nunless configuration:edge_requests_per_minute:lower_threshold"
          },
          {
            "record": "account:edge_requests_per_minute:avg1h",
            "expr": "(sum_over_time(account:edge_requests_per_minute:sum[59m30s]) - sum_over_time(account:edge_requests_per_minute:excess[59m30s]) or sum_over_time(account:edge_requests_per_minute:sum[59m30s]))\n/\ncount_over_time(account:edge_requests_per_minute:sum[59m30s])"
          },
          {
            "record": "account:edge_requests_per_minute:seasonal",
            "expr": "account:edge_requests_per_minute:avg1h offset 10m and last_over_time(account:edge_requests_per_minute:accepted[23h59m30s])\nor\naccount:edge_requests_per_minute:avg1h offset 23h30m and last_over_time(account:edge_requests_per_minute:accepted[2w6d23h59m30s])\nor\nquantile without (part) (0.5,\n  label_replace(account:edge_requests_per_minute:avg1h offset 6d23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(account:edge_requests_per_minute:avg1h offset 1w6d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(account:edge_requests_per_minute:avg1h offset 2w6d23h30m, \"part\", \"3\", \"\", \"\")\n  or\n  label_replace(account:edge_requests_per_minute:avg1h offset 23h30m, \"part\", \"yesterday\", \"\", \"\")\n) and account:edge_requests_per_minute:avg1h offset 6d23h30m\nor\nmax without (part) (\n  label_replace(account:edge_requests_per_minute:avg1h offset 23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(account:edge_requests_per_minute:avg1h offset 1d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(account:edge_requests_per_minute:avg1h offset 2d23h30m, \"part\", \"3\", \"\", \"\")\n)\nor\naccount:edge_requests_per_minute:avg1h offset 10m"
          },
          {
            "record": "account:edge_requests_per_minute:variation1h",
            "expr": "stddev_over_time(account:edge_requests_per_minute:sum[59m30s])\n/\n(account:edge_requests_per_minute:avg1h + 300)\nunless count_over_time(account:edge_requests_per_minute:excess[59m30s])"
          },
          {
            "record": "account:edge_requests_per_minute:drift1h",
            "expr": "(account:edge_requests_per_minute:avg1h + 300)\n/\n(account:edge_requests_per_minute:seasonal offset 30m + 300)"
          },
          {
            "record": "account:edge_requests_per_minute:usual",
            "expr": "(account:edge_requests_per_minute:seasonal + 300) * clamp(quantile_over_time(0.9, account:edge_requests_per_minute:drift1h[23h57m30s]), 1, 2.5) - 300\nor\naccount:edge_requests_per_minute:seasonal"
          },
          {
            "record": "account:edge_requests_per_minute:threshold",
            "expr": "max without (part) (\n  label_replace(account:edge_requests_per_minute:seasonal * 3, \"part\", \"multiple\", \"\", \"\")\n  or\n  label_replace(account:edge_requests_per_minute:usual * 2.25, \"part\", \"raised\", \"\", \"\")\n  or\n  label_replace(((account:edge_requests_per_minute:seasonal + 300) * clamp(min_over_time(account:edge_requests_per_minute:drift1h[5h57m30s]), 1, 2.5) - 300) * 2.25, \"part\", \"recent\", \"\", \"\")\n  or\n  label_replace(account:edge_requests_per_minute:usual + 4 * quantile_over_time(0.5, account:edge_requests_per_minute:variation1h[5h57m30s]) * (account:edge_requests_per_minute:usual + 300), \"part\", \"noise\", \"\", \"\")\n  or\n  label_replace(0 * account:edge_requests_per_minute:usual + 3000, \"part\", \"floor\", \"\", \"\")\n)"
          },
          {
            "record": "account:edge_requests_per_minute:lower_threshold",
            "expr": "(\nmin without (part) (\n  label_replace(min_over_time(account:edge_requests_per_minute:avg1h[1h27m30s] offset 6d22h45m), \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(min_over_time(account:edge_requests_per_minute:avg1h[1h27m30s] offset 1w6d22h45m), \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(min_over_time(account:edge_requests_per_minute:avg1h[1h27m30s] offset 2w6d22h45m), \"part\", \"3\", \"\", \"\")\n  or\n  label_replace(min_over_time(account:edge_requests_per_minute:avg1h[1h27m30s] offset 22h45m), \"part\", \"yesterday\", \"\", \"\")\n) * clamp(account:edge_requests_per_minute:avg1h / (account:edge_requests_per_minute:seasonal offset 30m > 0), 0.7, 1) * 0.25\nand account:edge_requests_per_minute:avg1h offset 6d23h30m\nor\nmin without (part) (\n  label_replace(min_over_time(account:edge_requests_per_minute:avg1h[1h27m30s] offset 22h45m), \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(min_over_time(account:edge_requests_per_minute:avg1h[1h27m30s] offset 1d22h45m), \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(min_over_time(account:edge_requests_per_minute:avg1h[1h27m30s] offset 2d22h45m), \"part\", \"3\", \"\", \"\")\n) * 0.25 / 2\nand min_over_time(account:edge_requests_per_minute:avg1h[23h57m30s]) > 0.05 * max_over_time(account:edge_requests_per_minute:avg1h[23h57m30s])\nunless account:edge_requests_per_minute:avg1h offset 6d23h30m\n)\nand (\navg_over_time(account:edge_requests_per_minute:avg1h[23h57m30s]) >= 60\nand\nmin_over_time(account:edge_requests_per_minute:avg1h[1h27m30s] offset 22h45m) >= 0.125 * 60\nor\naccount:edge_requests_per_minute:fallen\n)\nunless last_over_time(account:edge_requests_per_minute:accepted[1w23h59m30s])"
          },
          {
            "record": "account:edge_requests_per_minute:lowest_threshold",
            "expr": "min_over_time(account:edge_requests_per_minute:avg1h[23h57m30s]) * 0.25 / 2\nand min_over_time(account:edge_requests_per_minute:avg1h[1h27m30s] offset 22h45m) >= avg_over_time(account:edge_requests_per_minute:avg1h[23h57m30s]) / 2\nand (\navg_over_time(account:edge_requests_per_minute:avg1h[23h57m30s]) >= 60\nand\nmin_over_time(account:edge_requests_per_minute:avg1h[1h27m30s] offset 22h45m) >= 0.125 * 60\nor\naccount:edge_requests_per_minute:fallen\n)\nunless last_over_time(account:edge_requests_per_minute:accepted[1w23h59m30s])\nunless account:edge_requests_per_minute:lower_threshold"
          }
        ]
      },
      {
        "name": "edge-baseline-edge_waf_threats_per_minute",
        "interval": "5m",
        "rules": [
          {
            "record": "configuration:edge_waf_threats_per_minute:avg1h",
            "expr": "(sum_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s]) - sum_over_time(configuration:edge_waf_threats_per_minute:excess[59m30s]) or sum_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s]))\n/\ncount_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s])"
          },
          {
            "record": "configuration:edge_waf_threats_per_minute:seasonal",
            "expr": "configuration:edge_waf_threats_per_minute:avg1h offset 10m and last_over_time(configuration:edge_waf_threats_per_minute:accepted[23h59m30s])\nor\nconfiguration:edge_waf_threats_per_minute:avg1h offset 23h30m and last_over_time(configuration:edge_waf_threats_per_minute:accepted[2w6d23h59m30s])\nor\nquantile without (part) (0.5,\n  label_replace(configuration:edge_waf_threats_per_minute:avg1h offset 6d23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_threats_per_minute:avg1h offset 1w6d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_threats_per_minute:avg1h offset 2w6d23h30m, \"part\", \"3\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_threats_per_minute:avg1h offset 23h30m, \"part\", \"yesterday\", \"\", \"\")\n) and configuration:edge_waf_threats_per_minute:avg1h offset 6d23h30m\nor\nmax without (part) (\n  label_replace(configuration:edge_waf_threats_per_minute:avg1h offset 23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_threats_per_minute:avg1h offset 1d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_threats_per_minute:avg1h offset 2d23h30m, \"part\", \"3\", \"\", \"\")\n)\nor\nconfiguration:edge_waf_threats_per_minute:avg1h offset 10m"
          },
          {
            "record": "configuration:edge_waf_threats_per_minute:variation1h",
            "expr": "stddev_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s])\n/\n(configuration:edge_waf_threats_per_minute:avg1h + 4)\nunless count_over_time(configuration:edge_waf_threats_per_minute:excess[59m30s])"
          },
          {
            "record": "configuration:edge_waf_threats_per_minute:drift1h",
            "expr": "(configuration:edge_waf_threats_per_minute:avg1h + 4)\n/\n(configuration:edge_waf_threats_per_minute:seasonal offset 30m + 4)"
          },
          {
            "record": "configuration:edge_waf_threats_per_minute:usual",
            "expr": "(configuration:edge_waf_threats_per_minute:seasonal + 4) * clamp(quantile_over_time(0.9, configuration:edge_waf_threats_per_minute:drift1h[23h57m30s]), 1, 2.5) - 4\nor\nconfiguration:edge_waf_threats_per_minute:seasonal"
          },
          {
            "record": "configuration:edge_waf_threats_per_minute:threshold",
            "expr": "max without (part) (\n  label_replace(configuration:edge_waf_threats_per_minute:seasonal * 3, \"part\", \"multiple\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_threats_per_minute:usual * 2.25, \"part\", \"raised\", \"\", \"\")\n  or\n  label_replace(((configuration:edge_waf_threats_per_minute:seasonal + 4) * clamp(min_over_time(configuration:edge_waf_threats_per_minute:drift1h[5h57m30s]), 1, 2.5) - 4) * 2.25, \"part\", \"recent\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_threats_per_minute:usual + 4 * quantile_over_time(0.5, configuration:edge_waf_threats_per_minute:variation1h[5h57m30s]) * (configuration:edge_waf_threats_per_minute:usual + 4), \"part\", \"noise\", \"\", \"\")\n  or\n  label_replace(0 * configuration:edge_waf_threats_per_minute:usual + 40, \"part\", \"floor\", \"\", \"\")\n)"
          },
          {
            "record": "account:edge_waf_threats_per_minute:avg1h",
            "expr": "(sum_over_time(account:edge_waf_threats_per_minute:sum[59m30s]) - sum_over_time(account:edge_waf_threats_per_minute:excess[59m30s]) or sum_over_time(account:edge_waf_threats_per_minute:sum[59m30s]))\n/\ncount_over_time(account:edge_waf_threats_per_minute:sum[59m30s])"
          },
          {
            "record": "account:edge_waf_threats_per_minute:seasonal",
            "expr": "account:edge_waf_threats_per_minute:avg1h offset 10m and last_over_time(account:edge_waf_threats_per_minute:accepted[23h59m30s])\nor\naccount:edge_waf_threats_per_minute:avg1h offset 23h30m and last_over_time(account:edge_waf_threats_per_minute:accepted[2w6d23h59m30s])\nor\nquantile without (part) (0.5,\n  label_replace(account:edge_waf_threats_per_minute:avg1h offset 6d23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(account:edge_waf_threats_per_minute:avg1h offset 1w6d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(account:edge_waf_threats_per_minute:avg1h offset 2w6d23h30m, \"part\", \"3\", \"\", \"\")\n  or\n  label_replace(account:edge_waf_threats_per_minute:avg1h offset 23h30m, \"part\", \"yesterday\", \"\", \"\")\n) and account:edge_waf_threats_per_minute:avg1h offset 6d23h30m\nor\nmax without (part) (\n  label_replace(account:edge_waf_threats_per_minute:avg1h offset 23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(account:edge_waf_threats_per_minute:avg1h offset 1d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(account:edge_waf_threats_per_minute:avg1h offset 2d23h30m, \"part\", \"3\", \"\", \"\")\n)\nor\naccount:edge_waf_threats_per_minute:avg1h offset 10m"
          },
          {
            "record": "account:edge_waf_threats_per_minute:variation1h",
            "expr": "stddev_over_time(account:edge_waf_threats_per_minute:sum[59m30s])\n/\n(account:edge_waf_threats_per_minute:avg1h + 4)\nunless count_over_time(account:edge_waf_threats_per_minute:excess[59m30s])"
          },
          {
            "record": "account:edge_waf_threats_per_minute:drift1h",
            "expr": "(account:edge_waf_threats_per_minute:avg1h + 4)\n/\n(account:edge_waf_threats_per_minute:seasonal offset 30m + 4)"
          },
          {
            "record": "account:edge_waf_threats_per_minute:usual",
            "expr": "(account:edge_waf_threats_per_minute:seasonal + 4) * clamp(quantile_over_time(0.9, account:edge_waf_threats_per_minute:drift1h[23h57m30s]), 1, 2.5) - 4\nor\naccount:edge_waf_threats_per_minute:seasonal"
          },
          {
            "record": "account:edge_waf_threats_per_minute:threshold",
            "expr": "max without (part) (\n  label_replace(account:edge_waf_threats_per_minute:seasonal * 3, \"part\", \"multiple\", \"\", \"\")\n  or\n  label_replace(account:edge_waf_threats_per_minute:usual * 2.25, \"part\", \"raised\", \"\", \"\")\n  or\n  label_replace(((account:edge_waf_threats_per_minute:seasonal + 4) * clamp(min_over_time(account:edge_waf_threats_per_minute:drift1h[5h57m30s]), 1, 2.5) - 4) * 2.25, \"part\", \"recent\", \"\", \"\")\n  or\n  label_replace(account:edge_waf_threats_per_minute:usual + 4 * quantile_over_time(0.5, account:edge_waf_threats_per_minute:variation1h[5h57m30s]) * (account:edge_waf_threats_per_minute:usual + 4), \"part\", \"noise\", \"\", \"\")\n  or\n  label_replace(0 * account:edge_waf_threats_per_minute:usual + 40, \"part\", \"floor\", \"\", \"\")\n)"
          }
        ]
      },
      {
        "name": "edge-baseline-edge_waf_blocked_per_minute",
        "interval": "5m",
        "rules": [
          {
            "record": "configuration:edge_waf_blocked_per_minute:avg1h",
            "expr": "(sum_over_time(configuration:edge_waf_blocked_per_minute:sum[59m30s]) - sum_over_time(configuration:edge_waf_blocked_per_minute:excess[59m30s]) or sum_over_time(configuration:edge_waf_blocked_per_minute:sum[59m30s]))\n/\ncount_over_time(configuration:edge_waf_blocked_per_minute:sum[59m30s])\nand\n(avg_over_time(configuration:edge_waf_blocked_per_minute:sum[59m30s]) >= 2 or last_over_time(configuration:edge_waf_blocked_per_minute:seasonal[12m30s]))"
          },
          {
            "record": "configuration:edge_waf_blocked_per_minute:seasonal",
            "expr": "(\n(configuration:edge_waf_blocked_per_minute:avg1h offset 10m or 0 * configuration:edge_waf_blocked_per_minute:sum offset 10m) and last_over_time(configuration:edge_waf_blocked_per_minute:accepted[23h59m30s])\nor\n(configuration:edge_waf_blocked_per_minute:avg1h offset 23h30m or 0 * configuration:edge_waf_blocked_per_minute:sum offset 23h30m) and last_over_time(configuration:edge_waf_blocked_per_minute:accepted[2w6d23h59m30s])\nor\nquantile without (part) (0.5,\n  label_replace((configuration:edge_waf_blocked_per_minute:avg1h offset 6d23h30m or 0 * configuration:edge_waf_blocked_per_minute:sum offset 6d23h30m), \"part\", \"1\", \"\", \"\")\n  or\n  label_replace((configuration:edge_waf_blocked_per_minute:avg1h offset 1w6d23h30m or 0 * configuration:edge_waf_blocked_per_minute:sum offset 1w6d23h30m), \"part\", \"2\", \"\", \"\")\n  or\n  label_replace((configuration:edge_waf_blocked_per_minute:avg1h offset 2w6d23h30m or 0 * configuration:edge_waf_blocked_per_minute:sum offset 2w6d23h30m), \"part\", \"3\", \"\", \"\")\n  or\n  label_replace((configuration:edge_waf_blocked_per_minute:avg1h offset 23h30m or 0 * configuration:edge_waf_blocked_per_minute:sum offset 23h30m), \"part\", \"yesterday\", \"\", \"\")\n) and (configuration:edge_waf_blocked_per_minute:avg1h offset 6d23h30m or 0 * configuration:edge_waf_blocked_per_minute:sum offset 6d23h30m)\nor\nmax without (part) (\n  label_replace((configuration:edge_waf_blocked_per_minute:avg1h offset 23h30m or 0 * configuration:edge_waf_blocked_per_minute:sum offset 23h30m), \"part\", \"1\", \"\", \"\")\n  or\n  label_replace((configuration:edge_waf_blocked_per_minute:avg1h offset 1d23h30m or 0 * configuration:edge_waf_blocked_per_minute:sum offset 1d23h30m), \"part\", \"2\", \"\", \"\")\n  or\n  label_replace((configuration:edge_waf_blocked_per_minute:avg1h offset 2d23h30m or 0 * configuration:edge_waf_blocked_per_minute:sum offset 2d23h30m), \"part\", \"3\", \"\", \"\")\n)\nor\n(configuration:edge_waf_blocked_per_minute:avg1h offset 10m or 0 * configuration:edge_waf_blocked_per_minute:sum offset 10m)\n)\nand max_over_time(configuration:edge_waf_blocked_per_minute:avg1h[6d23h57m30s]) >= 10"
          },
          {
            "record": "configuration:edge_waf_blocked_per_minute:variation1h",
            "expr": "stddev_over_time(configuration:edge_waf_blocked_per_minute:sum[59m30s])\n/\n(configuration:edge_waf_blocked_per_minute:avg1h + 4)\nunless count_over_time(configuration:edge_waf_blocked_per_minute:excess[59m30s])\nand configuration:edge_waf_blocked_per_minute:seasonal"
          },
          {
            "record": "configuration:edge_waf_blocked_per_minute:drift1h",
            "expr": "(configuration:edge_waf_blocked_per_minute:avg1h + 4)\n/\n(configuration:edge_waf_blocked_per_minute:seasonal offset 30m + 4)"
          },
          {
            "record": "configuration:edge_waf_blocked_per_minute:usual",
            "expr": "(configuration:edge_waf_blocked_per_minute:seasonal + 4) * clamp(quantile_over_time(0.9, configuration:edge_waf_blocked_per_minute:drift1h[23h57m30s]), 1, 2.5) - 4\nor\nconfiguration:edge_waf_blocked_per_minute:seasonal"
          },
          {
            "record": "configuration:edge_waf_blocked_per_minute:threshold",
            "expr": "max without (part) (\n  label_replace(configuration:edge_waf_blocked_per_minute:seasonal * 3, \"part\", \"multiple\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_blocked_per_minute:usual * 2.25, \"part\", \"raised\", \"\", \"\")\n  or\n  label_replace(((configuration:edge_waf_blocked_per_minute:seasonal + 4) * clamp(min_over_time(configuration:edge_waf_blocked_per_minute:drift1h[5h57m30s]), 1, 2.5) - 4) * 2.25, \"part\", \"recent\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_blocked_per_minute:usual + 4 * quantile_over_time(0.5, configuration:edge_waf_blocked_per_minute:variation1h[5h57m30s]) * (configuration:edge_waf_blocked_per_minute:usual + 4), \"part\", \"noise\", \"\", \"\")\n  or\n  label_replace(0 * configuration:edge_waf_blocked_per_minute:usual + 40, \"part\", \"floor\", \"\", \"\")\n)"
          },
          {
            "record": "account:edge_waf_blocked_per_minute:avg1h",
            "expr": "(sum_over_time(account:edge_waf_blocked_per_minute:sum[59m30s]) - sum_over_time(account:edge_waf_blocked_per_minute:excess[59m30s]) or sum_over_time(account:edge_waf_blocked_per_minute:sum[59m30s]))\n/\ncount_over_time(account:edge_waf_blocked_per_minute:sum[59m30s])\nand\n(avg_over_time(account:edge_waf_blocked_per_minute:sum[59m30s]) >= 2 or last_over_time(account:edge_waf_blocked_per_minute:seasonal[12m30s]))"
          },
          {
            "record": "account:edge_waf_blocked_per_minute:seasonal",
            "expr": "(\n(account:edge_waf_blocked_per_minute:avg1h offset 10m or 0 * account:edge_waf_blocked_per_minute:sum offset 10m) and last_over_time(account:edge_waf_blocked_per_minute:accepted[23h59m30s])\nor\n(account:edge_waf_blocked_per_minute:avg1h offset 23h30m or 0 * account:edge_waf_blocked_per_minute:sum offset 23h30m) and last_over_time(account:edge_waf_blocked_per_minute:accepted[2w6d23h59m30s])\nor\nquantile without (part) (0.5,\n  label_replace((account:edge_waf_blocked_per_minute:avg1h offset 6d23h30m or 0 * account:edge_waf_blocked_per_minute:sum offset 6d23h30m), \"part\", \"1\", \"\", \"\")\n  or\n  label_replace((account:edge_waf_blocked_per_minute:avg1h offset 1w6d23h30m or 0 * account:edge_waf_blocked_per_minute:sum offset 1w6d23h30m), \"part\", \"2\", \"\", \"\")\n  or\n  label_replace((account:edge_waf_blocked_per_minute:avg1h offset 2w6d23h30m or 0 * account:edge_waf_blocked_per_minute:sum offset 2w6d23h30m), \"part\", \"3\", \"\", \"\")\n  or\n  label_replace((account:edge_waf_blocked_per_minute:avg1h offset 23h30m or 0 * account:edge_waf_blocked_per_minute:sum offset 23h30m), \"part\", \"yesterday\", \"\", \"\")\n) and (account:edge_waf_blocked_per_minute:avg1h offset 6d23h30m or 0 * account:edge_waf_blocked_per_minute:sum offset 6d23h30m)\nor\nmax without (part) (\n  label_replace((account:edge_waf_blocked_per_minute:avg1h offset 23h30m or 0 * account:edge_waf_blocked_per_minute:sum offset 23h30m), \"part\", \"1\", \"\", \"\")\n  or\n  label_replace((account:edge_waf_blocked_per_minute:avg1h offset 1d23h30m or 0 * account:edge_waf_blocked_per_minute:sum offset 1d23h30m), \"part\", \"2\", \"\", \"\")\n  or\n  label_replace((account:edge_waf_blocked_per_minute:avg1h offset 2d23h30m or 0 * account:edge_waf_blocked_per_minute:sum offset 2d23h30m), \"part\", \"3\", \"\", \"\")\n)\nor\n(account:edge_waf_blocked_per_minute:avg1h offset 10m or 0 * account:edge_waf_blocked_per_minute:sum offset 10m)\n)\nand max_over_time(account:edge_waf_blocked_per_minute:avg1h[6d23h57m30s]) >= 10"
          },
          {
            "record": "account:edge_waf_blocked_per_minute:variation1h",
            "expr": "stddev_over_time(account:edge_waf_blocked_per_minute:sum[59m30s])\n/\n(account:edge_waf_blocked_per_minute:avg1h + 4)\nunless count_over_time(account:edge_waf_blocked_per_minute:excess[59m30s])\nand account:edge_waf_blocked_per_minute:seasonal"
          },
          {
            "record": "account:edge_waf_blocked_per_minute:drift1h",
            "expr": "(account:edge_waf_blocked_per_minute:avg1h + 4)\n/\n(account:edge_waf_blocked_per_minute:seasonal offset 30m + 4)"
          },
          {
            "record": "account:edge_waf_blocked_per_minute:usual",
            "expr": "(account:edge_waf_blocked_per_minute:seasonal + 4) * clamp(quantile_over_time(0.9, account:edge_waf_blocked_per_minute:drift1h[23h57m30s]), 1, 2.5) - 4\nor\naccount:edge_waf_blocked_per_minute:seasonal"
          },
          {
            "record": "account:edge_waf_blocked_per_minute:threshold",
            "expr": "max without (part) (\n  label_replace(account:edge_waf_blocked_per_minute:seasonal * 3, \"part\", \"multiple\", \"\", \"\")\n  or\n  label_replace(account:edge_waf_blocked_per_minute:usual * 2.25, \"part\", \"raised\", \"\", \"\")\n  or\n  label_replace(((account:edge_waf_blocked_per_minute:seasonal + 4) * clamp(min_over_time(account:edge_waf_blocked_per_minute:drift1h[5h57m30s]), 1, 2.5) - 4) * 2.25, \"part\", \"recent\", \"\", \"\")\n  or\n  label_replace(account:edge_waf_blocked_per_minute:usual + 4 * quantile_over_time(0.5, account:edge_waf_blocked_per_minute:variation1h[5h57m30s]) * (account:edge_waf_blocked_per_minute:usual + 4), \"part\", \"noise\", \"\", \"\")\n  or\n  label_replace(0 * account:edge_waf_blocked_per_minute:usual + 40, \"part\", \"floor\", \"\", \"\")\n)"
          }
        ]
      },
      {
        "name": "edge-baseline-edge_waf_threats_by_family_per_minute",
        "interval": "5m",
        "rules": [
          {
            "record": "configuration:edge_waf_threats_by_family_per_minute:avg1h",
            "expr": "(sum_over_time(configuration:edge_waf_threats_by_family_per_minute:sum[59m30s]) - sum_over_time(configuration:edge_waf_threats_by_family_per_minute:excess[59m30s]) or sum_over_time(configuration:edge_waf_threats_by_family_per_minute:sum[59m30s]))\n/\ncount_over_time(configuration:edge_waf_threats_by_family_per_minute:sum[59m30s])\nand\n(avg_over_time(configuration:edge_waf_threats_by_family_per_minute:sum[59m30s]) >= 2 or last_over_time(configuration:edge_waf_threats_by_family_per_minute:seasonal[12m30s]))"
          },
          {
            "record": "configuration:edge_waf_threats_by_family_per_minute:seasonal",
            "expr": "(\n(configuration:edge_waf_threats_by_family_per_minute:avg1h offset 10m or 0 * configuration:edge_waf_threats_by_family_per_minute:sum offset 10m) and last_over_time(configuration:edge_waf_threats_by_family_per_minute:accepted[23h59m30s])\nor\n(configuration:edge_waf_threats_by_family_per_minute:avg1h offset 23h30m or 0 * configuration:edge_waf_threats_by_family_per_minute:sum offset 23h30m) and last_over_time(configuration:edge_waf_threats_by_family_per_minute:accepted[2w6d23h59m30s])\nor\nquantile without (part) (0.5,\n  label_replace((configuration:edge_waf_threats_by_family_per_minute:avg1h offset 6d23h30m or 0 * configuration:edge_waf_threats_by_family_per_minute:sum offset 6d23h30m), \"part\", \"1\", \"\", \"\")\n  or\n  label_replace((configuration:edge_waf_threats_by_family_per_minute:avg1h offset 1w6d23h30m or 0 * configuration:edge_waf_threats_by_family_per_minute:sum offset 1w6d23h30m), \"part\", \"2\", \"\", \"\")\n  or\n  label_replace((configuration:edge_waf_threats_by_family_per_minute:avg1h offset 2w6d23h30m or 0 * configuration:edge_waf_threats_by_family_per_minute:sum offset 2w6d23h30m), \"part\", \"3\", \"\", \"\")\n  or\n  label_replace((configuration:edge_waf_threats_by_family_per_minute:avg1h offset 23h30m or 0 * configuration:edge_waf_threats_by_family_per_minute:sum offset 23h30m), \"part\", \"yesterday\", \"\", \"\")\n) and (configuration:edge_waf_threats_by_family_per_minute:avg1h offset 6d23h30m or 0 * configuration:edge_waf_threats_by_family_per_minute:sum offset 6d23h30m)\nor\nmax without (part) (\n  label_replace((configuration:edge_waf_threats_by_family_per_minute:avg1h offset 23h30m or 0 * configuration:edge_waf_threats_by_family_per_minute:sum offset 23h30m), \"part\", \"1\", \"\", \"\")\n  or\n  label_replace((configuration:edge_waf_threats_by_family_per_minute:avg1h offset 1d23h30m or 0 * configuration:edge_waf_threats_by_family_per_minute:sum offset 1d23h30m), \"part\", \"2\", \"\", \"\")\n  or\n  label_replace((configuration:edge_waf_threats_by_family_per_minute:avg1h offset 2d23h30m or 0 * configuration:edge_waf_threats_by_family_per_minute:sum offset 2d23h30m), \"part\", \"3\", \"\", \"\")\n)\nor\n(configuration:edge_waf_threats_by_family_per_minute:avg1h offset 10m or 0 * configuration:edge_waf_threats_by_family_per_minute:sum offset 10m)\n)\nand max_over_time(configuration:edge_waf_threats_by_family_per_minute:avg1h[6d23h57m30s]) >= 10"
          },
          {
            "record": "configuration:edge_waf_threats_by_family_per_minute:variation1h",
            "expr": "stddev_over_time(configuration:edge_waf_threats_by_family_per_minute:sum[59m30s])\n/\n(configuration:edge_waf_threats_by_family_per_minute:avg1h + 4)\nunless count_over_time(configuration:edge_waf_threats_by_family_per_minute:excess[59m30s])\nand configuration:edge_waf_threats_by_family_per_minute:seasonal"
          },
          {
            "record": "configuration:edge_waf_threats_by_family_per_minute:drift1h",
            "expr": "(configuration:edge_waf_threats_by_family_per_minute:avg1h + 4)\n/\n(configuration:edge_waf_threats_by_family_per_minute:seasonal offset 30m + 4)"
          },
          {
            "record": "configuration:edge_waf_threats_by_family_per_minute:usual",
            "expr": "(configuration:edge_waf_threats_by_family_per_minute:seasonal + 4) * clamp(quantile_over_time(0.9, configuration:edge_waf_threats_by_family_per_minute:drift1h[23h57m30s]), 1, 2.5) - 4\nor\nconfiguration:edge_waf_threats_by_family_per_minute:seasonal"
          },
          {
            "record": "configuration:edge_waf_threats_by_family_per_minute:threshold",
            "expr": "max without (part) (\n  label_replace(configuration:edge_waf_threats_by_family_per_minute:seasonal * 3, \"part\", \"multiple\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_threats_by_family_per_minute:usual * 2.25, \"part\", \"raised\", \"\", \"\")\n  or\n  label_replace(((configuration:edge_waf_threats_by_family_per_minute:seasonal + 4) * clamp(min_over_time(configuration:edge_waf_threats_by_family_per_minute:drift1h[5h57m30s]), 1, 2.5) - 4) * 2.25, \"part\", \"recent\", \"\", \"\")\n  or\n  label_replace(configuration:edge_waf_threats_by_family_per_minute:usual + 4 * quantile_over_time(0.5, configuration:edge_waf_threats_by_family_per_minute:variation1h[5h57m30s]) * (configuration:edge_waf_threats_by_family_per_minute:usual + 4), \"part\", \"noise\", \"\", \"\")\n  or\n  label_replace(0 * configuration:edge_waf_threats_by_family_per_minute:usual + 40, \"part\", \"floor\", \"\", \"\")\n)"
          }
        ]
      },
      {
        "name": "edge-baseline-edge_error_responses_per_minute",
        "interval": "5m",
        "rules": [
          {
            "record": "configuration:edge_error_responses_per_minute:avg1h",
            "expr": "(sum_over_time(configuration:edge_error_responses_per_minute:sum[59m30s]) - sum_over_time(configuration:edge_error_responses_per_minute:excess[59m30s]) or sum_over_time(configuration:edge_error_responses_per_minute:sum[59m30s]))\n/\ncount_over_time(configuration:edge_error_responses_per_minute:sum[59m30s])\nand\n(avg_over_time(configuration:edge_error_responses_per_minute:sum[59m30s]) >= 2 or last_over_time(configuration:edge_error_responses_per_minute:seasonal[12m30s]))"
          },
          {
            "record": "configuration:edge_error_responses_per_minute:seasonal",
            "expr": "(\n(configuration:edge_error_responses_per_minute:avg1h offset 10m or 0 * configuration:edge_error_responses_per_minute:sum offset 10m) and last_over_time(configuration:edge_error_responses_per_minute:accepted[23h59m30s])\nor\n(configuration:edge_error_responses_per_minute:avg1h offset 23h30m or 0 * configuration:edge_error_responses_per_minute:sum offset 23h30m) and last_over_time(configuration:edge_error_responses_per_minute:accepted[2w6d23h59m30s])\nor\nquantile without (part) (0.5,\n  label_replace((configuration:edge_error_responses_per_minute:avg1h offset 6d23h30m or 0 * configuration:edge_error_responses_per_minute:sum offset 6d23h30m), \"part\", \"1\", \"\", \"\")\n  or\n  label_replace((configuration:edge_error_responses_per_minute:avg1h offset 1w6d23h30m or 0 * configuration:edge_error_responses_per_minute:sum offset 1w6d23h30m), \"part\", \"2\", \"\", \"\")\n  or\n  label_replace((configuration:edge_error_responses_per_minute:avg1h offset 2w6d23h30m or 0 * configuration:edge_error_responses_per_minute:sum offset 2w6d23h30m), \"part\", \"3\", \"\", \"\")\n  or\n  label_replace((configuration:edge_error_responses_per_minute:avg1h offset 23h30m or 0 * configuration:edge_error_responses_per_minute:sum offset 23h30m), \"part\", \"yesterday\", \"\", \"\")\n) and (configuration:edge_error_responses_per_minute:avg1h offset 6d23h30m or 0 * configuration:edge_error_responses_per_minute:sum offset 6d23h30m)\nor\nmax without (part) (\n  label_replace((configuration:edge_error_responses_per_minute:avg1h offset 23h30m or 0 * configuration:edge_error_responses_per_minute:sum offset 23h30m), \"part\", \"1\", \"\", \"\")\n  or\n  label_replace((configuration:edge_error_responses_per_minute:avg1h offset 1d23h30m or 0 * configuration:edge_error_responses_per_minute:sum offset 1d23h30m), \"part\", \"2\", \"\", \"\")\n  or\n  label_replace((configuration:edge_error_responses_per_minute:avg1h offset 2d23h30m or 0 * configuration:edge_error_responses_per_minute:sum offset 2d23h30m), \"part\", \"3\", \"\", \"\")\n)\nor\n(configuration:edge_error_responses_per_minute:avg1h offset 10m or 0 * configuration:edge_error_responses_per_minute:sum offset 10m)\n)\nand max_over_time(configuration:edge_error_responses_per_minute:avg1h[6d23h57m30s]) >= 10"
          },
          {
            "record": "configuration:edge_error_responses_per_minute:variation1h",
            "expr": "stddev_over_time(configuration:edge_error_responses_per_minute:sum[59m30s])\n/\n(configuration:edge_error_responses_per_minute:avg1h + 6)\nunless count_over_time(configuration:edge_error_responses_per_minute:excess[59m30s])\nand configuration:edge_error_responses_per_minute:seasonal"
          },
          {
            "record": "configuration:edge_error_responses_per_minute:drift1h",
            "expr": "(configuration:edge_error_responses_per_minute:avg1h + 6)\n/\n(configuration:edge_error_responses_per_minute:seasonal offset 30m + 6)"
          },
          {
            "record": "configuration:edge_error_responses_per_minute:usual",
            "expr": "(configuration:edge_error_responses_per_minute:seasonal + 6) * clamp(quantile_over_time(0.9, configuration:edge_error_responses_per_minute:drift1h[23h57m30s]), 1, 2.5) - 6\nor\nconfiguration:edge_error_responses_per_minute:seasonal"
          },
          {
            "record": "configuration:edge_error_responses_per_minute:threshold",
            "expr": "max without (part) (\n  label_replace(configuration:edge_error_responses_per_minute:seasonal * 3, \"part\", \"multiple\", \"\", \"\")\n  or\n  label_replace(configuration:edge_error_responses_per_minute:usual * 2.25, \"part\", \"raised\", \"\", \"\")\n  or\n  label_replace(((configuration:edge_error_responses_per_minute:seasonal + 6) * clamp(min_over_time(configuration:edge_error_responses_per_minute:drift1h[5h57m30s]), 1, 2.5) - 6) * 2.25, \"part\", \"recent\", \"\", \"\")\n  or\n  label_replace(configuration:edge_error_responses_per_minute:usual + 4 * quantile_over_time(0.5, configuration:edge_error_responses_per_minute:variation1h[5h57m30s]) * (configuration:edge_error_responses_per_minute:usual + 6), \"part\", \"noise\", \"\", \"\")\n  or\n  label_replace(0 * configuration:edge_error_responses_per_minute:usual + 60, \"part\", \"floor\", \"\", \"\")\n)"
          },
          {
            "record": "account:edge_error_responses_per_minute:avg1h",
            "expr": "(sum_over_time(account:edge_error_responses_per_minute:sum[59m30s]) - sum_over_time(account:edge_error_responses_per_minute:excess[59m30s]) or sum_over_time(account:edge_error_responses_per_minute:sum[59m30s]))\n/\ncount_over_time(account:edge_error_responses_per_minute:sum[59m30s])\nand\n(avg_over_time(account:edge_error_responses_per_minute:sum[59m30s]) >= 2 or last_over_time(account:edge_error_responses_per_minute:seasonal[12m30s]))"
          },
          {
            "record": "account:edge_error_responses_per_minute:seasonal",
            "expr": "(\n(account:edge_error_responses_per_minute:avg1h offset 10m or 0 * account:edge_error_responses_per_minute:sum offset 10m) and last_over_time(account:edge_error_responses_per_minute:accepted[23h59m30s])\nor\n(account:edge_error_responses_per_minute:avg1h offset 23h30m or 0 * account:edge_error_responses_per_minute:sum offset 23h30m) and last_over_time(account:edge_error_responses_per_minute:accepted[2w6d23h59m30s])\nor\nquantile without (part) (0.5,\n  label_replace((account:edge_error_responses_per_minute:avg1h offset 6d23h30m or 0 * account:edge_error_responses_per_minute:sum offset 6d23h30m), \"part\", \"1\", \"\", \"\")\n  or\n  label_replace((account:edge_error_responses_per_minute:avg1h offset 1w6d23h30m or 0 * account:edge_error_responses_per_minute:sum offset 1w6d23h30m), \"part\", \"2\", \"\", \"\")\n  or\n  label_replace((account:edge_error_responses_per_minute:avg1h offset 2w6d23h30m or 0 * account:edge_error_responses_per_minute:sum offset 2w6d23h30m), \"part\", \"3\", \"\", \"\")\n  or\n  label_replace((account:edge_error_responses_per_minute:avg1h offset 23h30m or 0 * account:edge_error_responses_per_minute:sum offset 23h30m), \"part\", \"yesterday\", \"\", \"\")\n) and (account:edge_error_responses_per_minute:avg1h offset 6d23h30m or 0 * account:edge_error_responses_per_minute:sum offset 6d23h30m)\nor\nmax without (part) (\n  label_replace((account:edge_error_responses_per_minute:avg1h offset 23h30m or 0 * account:edge_error_responses_per_minute:sum offset 23h30m), \"part\", \"1\", \"\", \"\")\n  or\n  label_replace((account:edge_error_responses_per_minute:avg1h offset 1d23h30m or 0 * account:edge_error_responses_per_minute:sum offset 1d23h30m), \"part\", \"2\", \"\", \"\")\n  or\n  label_replace((account:edge_error_responses_per_minute:avg1h offset 2d23h30m or 0 * account:edge_error_responses_per_minute:sum offset 2d23h30m), \"part\", \"3\", \"\", \"\")\n)\nor\n(account:edge_error_responses_per_minute:avg1h offset 10m or 0 * account:edge_error_responses_per_minute:sum offset 10m)\n)\nand max_over_time(account:edge_error_responses_per_minute:avg1h[6d23h57m30s]) >= 10"
          },
          {
            "record": "account:edge_error_responses_per_minute:variation1h",
            "expr": "stddev_over_time(account:edge_error_responses_per_minute:sum[59m30s])\n/\n(account:edge_error_responses_per_minute:avg1h + 6)\nunless count_over_time(account:edge_error_responses_per_minute:excess[59m30s])\nand account:edge_error_responses_per_minute:seasonal"
          },
          {
            "record": "account:edge_error_responses_per_minute:drift1h",
            "expr": "(account:edge_error_responses_per_minute:avg1h + 6)\n/\n(account:edge_error_responses_per_minute:seasonal offset 30m + 6)"
          },
          {
            "record": "account:edge_error_responses_per_minute:usual",
            "expr": "(account:edge_error_responses_per_minute:seasonal + 6) * clamp(quantile_over_time(0.9, account:edge_error_responses_per_minute:drift1h[23h57m30s]), 1, 2.5) - 6\nor\naccount:edge_error_responses_per_minute:seasonal"
          },
          {
            "record": "account:edge_error_responses_per_minute:threshold",
            "expr": "max without (part) (\n  label_replace(account:edge_error_responses_per_minute:seasonal * 3, \"part\", \"multiple\", \"\", \"\")\n  or\n  label_replace(account:edge_error_responses_per_minute:usual * 2.25, \"part\", \"raised\", \"\", \"\")\n  or\n  label_replace(((account:edge_error_responses_per_minute:seasonal + 6) * clamp(min_over_time(account:edge_error_responses_per_minute:drift1h[5h57m30s]), 1, 2.5) - 6) * 2.25, \"part\", \"recent\", \"\", \"\")\n  or\n  label_replace(account:edge_error_responses_per_minute:usual + 4 * quantile_over_time(0.5, account:edge_error_responses_per_minute:variation1h[5h57m30s]) * (account:edge_error_responses_per_minute:usual + 6), \"part\", \"noise\", \"\", \"\")\n  or\n  label_replace(0 * account:edge_error_responses_per_minute:usual + 60, \"part\", \"floor\", \"\", \"\")\n)"
          }
        ]
      },
      {
        "name": "edge-baseline-edge_client_error_ratio",
        "interval": "5m",
        "rules": [
          {
            "record": "configuration:edge_client_error_ratio:avg1h",
            "expr": "(sum_over_time(configuration:edge_client_error_ratio:now[59m30s]) - sum_over_time(configuration:edge_client_error_ratio:excess[59m30s]) or sum_over_time(configuration:edge_client_error_ratio:now[59m30s]))\n/\ncount_over_time(configuration:edge_client_error_ratio:now[59m30s])\nand\n(avg_over_time(configuration:edge_client_error_ratio:now[59m30s]) >= 0.010000000000000002 or last_over_time(configuration:edge_client_error_ratio:seasonal[12m30s]))"
          },
          {
            "record": "configuration:edge_client_error_ratio:seasonal",
            "expr": "(\n(configuration:edge_client_error_ratio:avg1h offset 10m or 0 * configuration:edge_client_error_ratio:now offset 10m) and last_over_time(configuration:edge_client_error_ratio:accepted[23h59m30s])\nor\n(configuration:edge_client_error_ratio:avg1h offset 23h30m or 0 * configuration:edge_client_error_ratio:now offset 23h30m) and last_over_time(configuration:edge_client_error_ratio:accepted[2w6d23h59m30s])\nor\nquantile without (part) (0.5,\n  label_replace((configuration:edge_client_error_ratio:avg1h offset 6d23h30m or 0 * configuration:edge_client_error_ratio:now offset 6d23h30m), \"part\", \"1\", \"\", \"\")\n  or\n  label_replace((configuration:edge_client_error_ratio:avg1h offset 1w6d23h30m or 0 * configuration:edge_client_error_ratio:now offset 1w6d23h30m), \"part\", \"2\", \"\", \"\")\n  or\n  label_replace((configuration:edge_client_error_ratio:avg1h offset 2w6d23h30m or 0 * configuration:edge_client_error_ratio:now offset 2w6d23h30m), \"part\", \"3\", \"\", \"\")\n  or\n  label_replace((configuration:edge_client_error_ratio:avg1h offset 23h30m or 0 * configuration:edge_client_error_ratio:now offset 23h30m), \"part\", \"yesterday\", \"\", \"\")\n) and (configuration:edge_client_error_ratio:avg1h offset 6d23h30m or 0 * configuration:edge_client_error_ratio:now offset 6d23h30m)\nor\nmax without (part) (\n  label_replace((configuration:edge_client_error_ratio:avg1h offset 23h30m or 0 * configuration:edge_client_error_ratio:now offset 23h30m), \"part\", \"1\", \"\", \"\")\n  or\n  label_replace((configuration:edge_client_error_ratio:avg1h offset 1d23h30m or 0 * configuration:edge_client_error_ratio:now offset 1d23h30m), \"part\", \"2\", \"\", \"\")\n  or\n  label_replace((configuration:edge_client_error_ratio:avg1h offset 2d23h30m or 0 * configuration:edge_client_error_ratio:now offset 2d23h30m), \"part\", \"3\", \"\", \"\")\n)\nor\n(configuration:edge_client_error_ratio:avg1h offset 10m or 0 * configuration:edge_client_error_ratio:now offset 10m)\n)\nand max_over_time(configuration:edge_client_error_ratio:avg1h[6d23h57m30s]) >= 0.05"
          },
          {
            "record": "configuration:edge_client_error_ratio:drift1h",
            "expr": "(configuration:edge_client_error_ratio:avg1h + 0.02)\n/\n(configuration:edge_client_error_ratio:seasonal offset 30m + 0.02)"
          },
          {
            "record": "configuration:edge_client_error_ratio:usual",
            "expr": "(configuration:edge_client_error_ratio:seasonal + 0.02) * clamp(quantile_over_time(0.9, configuration:edge_client_error_ratio:drift1h[23h57m30s]), 1, 2.5) - 0.02\nor\nconfiguration:edge_client_error_ratio:seasonal"
          },
          {
            "record": "configuration:edge_client_error_ratio:threshold",
            "expr": "max without (part) (\n  label_replace(configuration:edge_client_error_ratio:seasonal * 3, \"part\", \"multiple\", \"\", \"\")\n  or\n  label_replace(configuration:edge_client_error_ratio:usual * 2.25, \"part\", \"raised\", \"\", \"\")\n  or\n  label_replace(((configuration:edge_client_error_ratio:seasonal + 0.02) * clamp(min_over_time(configuration:edge_client_error_ratio:drift1h[5h57m30s]), 1, 2.5) - 0.02) * 2.25, \"part\", \"recent\", \"\", \"\")\n  or\n  label_replace(0 * configuration:edge_client_error_ratio:usual + 0.2, \"part\", \"floor\", \"\", \"\")\n)"
          },
          {
            "record": "account:edge_client_error_ratio:avg1h",
            "expr": "(sum_over_time(account:edge_client_error_ratio:now[59m30s]) - sum_over_time(account:edge_client_error_ratio:excess[59m30s]) or sum_over_time(account:edge_client_error_ratio:now[59m30s]))\n/\ncount_over_time(account:edge_client_error_ratio:now[59m30s])\nand\n(avg_over_time(account:edge_client_error_ratio:now[59m30s]) >= 0.010000000000000002 or last_over_time(account:edge_client_error_ratio:seasonal[12m30s]))"
          },
          {
            "record": "account:edge_client_error_ratio:seasonal",
            "expr": "(\n(account:edge_client_error_ratio:avg1h offset 10m or 0 * account:edge_client_error_ratio:now offset 10m) and last_over_time(account:edge_client_error_ratio:accepted[23h59m30s])\nor\n(account:edge_client_error_ratio:avg1h offset 23h30m or 0 * account:edge_client_error_ratio:now offset 23h30m) and last_over_time(account:edge_client_error_ratio:accepted[2w6d23h59m30s])\nor\nquantile without (part) (0.5,\n  label_replace((account:edge_client_error_ratio:avg1h offset 6d23h30m or 0 * account:edge_client_error_ratio:now offset 6d23h30m), \"part\", \"1\", \"\", \"\")\n  or\n  label_replace((account:edge_client_error_ratio:avg1h offset 1w6d23h30m or 0 * account:edge_client_error_ratio:now offset 1w6d23h30m), \"part\", \"2\", \"\", \"\")\n  or\n  label_replace((account:edge_client_error_ratio:avg1h offset 2w6d23h30m or 0 * account:edge_client_error_ratio:now offset 2w6d23h30m), \"part\", \"3\", \"\", \"\")\n  or\n  label_replace((account:edge_client_error_ratio:avg1h offset 23h30m or 0 * account:edge_client_error_ratio:now offset 23h30m), \"part\", \"yesterday\", \"\", \"\")\n) and (account:edge_client_error_ratio:avg1h offset 6d23h30m or 0 * account:edge_client_error_ratio:now offset 6d23h30m)\nor\nmax without (part) (\n  label_replace((account:edge_client_error_ratio:avg1h offset 23h30m or 0 * account:edge_client_error_ratio:now offset 23h30m), \"part\", \"1\", \"\", \"\")\n  or\n  label_replace((account:edge_client_error_ratio:avg1h offset 1d23h30m or 0 * account:edge_client_error_ratio:now offset 1d23h30m), \"part\", \"2\", \"\", \"\")\n  or\n  label_replace((account:edge_client_error_ratio:avg1h offset 2d23h30m or 0 * account:edge_client_error_ratio:now offset 2d23h30m), \"part\", \"3\", \"\", \"\")\n)\nor\n(account:edge_client_error_ratio:avg1h offset 10m or 0 * account:edge_client_error_ratio:now offset 10m)\n)\nand max_over_time(account:edge_client_error_ratio:avg1h[6d23h57m30s]) >= 0.05"
          },
          {
            "record": "account:edge_client_error_ratio:drift1h",
            "expr": "(account:edge_client_error_ratio:avg1h + 0.02)\n/\n(account:edge_client_error_ratio:seasonal offset 30m + 0.02)"
          },
          {
            "record": "account:edge_client_error_ratio:usual",
            "expr": "(account:edge_client_error_ratio:seasonal + 0.02) * clamp(quantile_over_time(0.9, account:edge_client_error_ratio:drift1h[23h57m30s]), 1, 2.5) - 0.02\nor\naccount:edge_client_error_ratio:seasonal"
          },
          {
            "record": "account:edge_client_error_ratio:threshold",
            "expr": "max without (part) (\n  label_replace(account:edge_client_error_ratio:seasonal * 3, \"part\", \"multiple\", \"\", \"\")\n  or\n  label_replace(account:edge_client_error_ratio:usual * 2.25, \"part\", \"raised\", \"\", \"\")\n  or\n  label_replace(((account:edge_client_error_ratio:seasonal + 0.02) * clamp(min_over_time(account:edge_client_error_ratio:drift1h[5h57m30s]), 1, 2.5) - 0.02) * 2.25, \"part\", \"recent\", \"\", \"\")\n  or\n  label_replace(0 * account:edge_client_error_ratio:usual + 0.2, \"part\", \"floor\", \"\", \"\")\n)"
          }
        ]
      },
      {
        "name": "edge-baseline-edge_cache_miss_ratio",
        "interval": "5m",
        "rules": [
          {
            "record": "configuration:edge_cache_miss_ratio:avg1h",
            "expr": "(sum_over_time(configuration:edge_cache_miss_ratio:now[59m30s]) - sum_over_time(configuration:edge_cache_miss_ratio:excess[59m30s]) or sum_over_time(configuration:edge_cache_miss_ratio:now[59m30s]))\n/\ncount_over_time(configuration:edge_cache_miss_ratio:now[59m30s])"
          },
          {
            "record": "configuration:edge_cache_miss_ratio:seasonal",
            "expr": "configuration:edge_cache_miss_ratio:avg1h offset 10m and last_over_time(configuration:edge_cache_miss_ratio:accepted[23h59m30s])\nor\nconfiguration:edge_cache_miss_ratio:avg1h offset 23h30m and last_over_time(configuration:edge_cache_miss_ratio:accepted[2w6d23h59m30s])\nor\nquantile without (part) (0.5,\n  label_replace(configuration:edge_cache_miss_ratio:avg1h offset 6d23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(configuration:edge_cache_miss_ratio:avg1h offset 1w6d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(configuration:edge_cache_miss_ratio:avg1h offset 2w6d23h30m, \"part\", \"3\", \"\", \"\")\n  or\n  label_replace(configuration:edge_cache_miss_ratio:avg1h offset 23h30m, \"part\", \"yesterday\", \"\", \"\")\n) and configuration:edge_cache_miss_ratio:avg1h offset 6d23h30m\nor\nmax without (part) (\n  label_replace(configuration:edge_cache_miss_ratio:avg1h offset 23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(configuration:edge_cache_miss_ratio:avg1h offset 1d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(configuration:edge_cache_miss_ratio:avg1h offset 2d23h30m, \"part\", \"3\", \"\", \"\")\n)\nor\nconfiguration:edge_cache_miss_ratio:avg1h offset 10m"
          },
          {
            "record": "configuration:edge_cache_miss_ratio:drift1h",
            "expr": "(configuration:edge_cache_miss_ratio:avg1h + 0.02)\n/\n(configuration:edge_cache_miss_ratio:seasonal offset 30m + 0.02)"
          },
          {
            "record": "configuration:edge_cache_miss_ratio:usual",
            "expr": "(configuration:edge_cache_miss_ratio:seasonal + 0.02) * clamp(quantile_over_time(0.9, configuration:edge_cache_miss_ratio:drift1h[23h57m30s]), 1, 2.5) - 0.02\nor\nconfiguration:edge_cache_miss_ratio:seasonal"
          },
          {
            "record": "configuration:edge_cache_miss_ratio:threshold",
            "expr": "max without (part) (\n  label_replace(configuration:edge_cache_miss_ratio:usual + 0.3, \"part\", \"margin\", \"\", \"\")\n)"
          },
          {
            "record": "account:edge_cache_miss_ratio:avg1h",
            "expr": "(sum_over_time(account:edge_cache_miss_ratio:now[59m30s]) - sum_over_time(account:edge_cache_miss_ratio:excess[59m30s]) or sum_over_time(account:edge_cache_miss_ratio:now[59m30s]))\n/\ncount_over_time(account:edge_cache_miss_ratio:now[59m30s])"
          },
          {
            "record": "account:edge_cache_miss_ratio:seasonal",
            "expr": "account:edge_cache_miss_ratio:avg1h offset 10m and last_over_time(account:edge_cache_miss_ratio:accepted[23h59m30s])\nor\naccount:edge_cache_miss_ratio:avg1h offset 23h30m and last_over_time(account:edge_cache_miss_ratio:accepted[2w6d23h59m30s])\nor\nquantile without (part) (0.5,\n  label_replace(account:edge_cache_miss_ratio:avg1h offset 6d23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(account:edge_cache_miss_ratio:avg1h offset 1w6d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(account:edge_cache_miss_ratio:avg1h offset 2w6d23h30m, \"part\", \"3\", \"\", \"\")\n  or\n  label_replace(account:edge_cache_miss_ratio:avg1h offset 23h30m, \"part\", \"yesterday\", \"\", \"\")\n) and account:edge_cache_miss_ratio:avg1h offset 6d23h30m\nor\nmax without (part) (\n  label_replace(account:edge_cache_miss_ratio:avg1h offset 23h30m, \"part\", \"1\", \"\", \"\")\n  or\n  label_replace(account:edge_cache_miss_ratio:avg1h offset 1d23h30m, \"part\", \"2\", \"\", \"\")\n  or\n  label_replace(account:edge_cache_miss_ratio:avg1h offset 2d23h30m, \"part\", \"3\", \"\", \"\")\n)\nor\naccount:edge_cache_miss_ratio:avg1h offset 10m"
          },
          {
            "record": "account:edge_cache_miss_ratio:drift1h",
            "expr": "(account:edge_cache_miss_ratio:avg1h + 0.02)\n/\n(account:edge_cache_miss_ratio:seasonal offset 30m + 0.02)"
          },
          {
            "record": "account:edge_cache_miss_ratio:usual",
            "expr": "(account:edge_cache_miss_ratio:seasonal + 0.02) * clamp(quantile_over_time(0.9, account:edge_cache_miss_ratio:drift1h[23h57m30s]), 1, 2.5) - 0.02\nor\naccount:edge_cache_miss_ratio:seasonal"
          },
          {
            "record": "account:edge_cache_miss_ratio:threshold",
            "expr": "max without (part) (\n  label_replace(account:edge_cache_miss_ratio:usual + 0.3, \"part\", \"margin\", \"\", \"\")\n)"
          }
        ]
      }
    ]
  },
  "prometheusAlerts": {
    "groups": [
      {
        "name": "edge-spikes",
        "interval": "1m",
        "rules": [
          {
            "alert": "EdgeWafSpike",
            "expr": "(avg_over_time(configuration:edge_waf_threats_per_minute:at_least[4m30s]) > avg_over_time(configuration:edge_waf_threats_per_minute:sum[4m30s]) or avg_over_time(configuration:edge_waf_threats_per_minute:sum[4m30s]))\nand\n(\nconfiguration:edge_waf_threats_per_minute:active\nand\n(max_over_time(configuration:edge_waf_threats_per_minute:above[3m30s]) or max_over_time(configuration:edge_waf_threats_per_minute:certain[3m30s]))\nor\nconfiguration:edge_waf_threats_per_minute:rising\n)",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "page",
              "about": "traffic",
              "scope": "configuration",
              "metric": "waf"
            },
            "annotations": {
              "summary": "{{ $value | humanize }} threats a minute on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }})",
              "description": "The WAF detects {{ $value | humanize }} threats a minute on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }}). Usual at this hour: {{ with printf `configuration:edge_waf_threats_per_minute:seasonal{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }}; too much is what is above {{ with printf `configuration:edge_waf_threats_per_minute:threshold{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }}, or less where it grows for two hours. The WAF blocks {{ with printf `avg_over_time(configuration:edge_waf_blocked_per_minute:sum{account=%q, product=%q, configuration=%q}[4m30s])` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }} requests a minute. First: compare what is detected with what is blocked, by the alert's text or, over time, by `Detected and stopped` on the Security dashboard: about as many: the WAF holds, and it can wait; clearly fewer blocked: in the platform's console, switch the rule set to blocking, or raise its sensitivity.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgewafspike"
            }
          },
          {
            "alert": "EdgeWafSpike",
            "expr": "(avg_over_time(account:edge_waf_threats_per_minute:at_least[4m30s]) > avg_over_time(account:edge_waf_threats_per_minute:sum[4m30s]) or avg_over_time(account:edge_waf_threats_per_minute:sum[4m30s]))\nand\n(\naccount:edge_waf_threats_per_minute:active\nand\n(max_over_time(account:edge_waf_threats_per_minute:above[3m30s]) or max_over_time(account:edge_waf_threats_per_minute:certain[3m30s]))\nor\naccount:edge_waf_threats_per_minute:rising\n)\nunless on (account, product)\nlast_over_time(configuration:edge_waf_threats_per_minute:since[1h9m30s])",
            "for": "4m",
            "labels": {
              "severity": "page",
              "about": "traffic",
              "scope": "account",
              "metric": "waf"
            },
            "annotations": {
              "summary": "{{ $value | humanize }} threats a minute on account {{ $labels.account }} ({{ $labels.product }})",
              "description": "The WAF detects {{ $value | humanize }} threats a minute on account {{ $labels.account }} ({{ $labels.product }}). Usual at this hour: {{ with printf `account:edge_waf_threats_per_minute:seasonal{account=%q, product=%q}` $labels.account $labels.product | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }}; too much is what is above {{ with printf `account:edge_waf_threats_per_minute:threshold{account=%q, product=%q}` $labels.account $labels.product | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }}, or less where it grows for two hours. The WAF blocks {{ with printf `avg_over_time(account:edge_waf_blocked_per_minute:sum{account=%q, product=%q}[4m30s])` $labels.account $labels.product | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }} requests a minute. First: compare what is detected with what is blocked, by the alert's text or, over time, by `Detected and stopped` on the Security dashboard: about as many: the WAF holds, and it can wait; clearly fewer blocked: in the platform's console, switch the rule set to blocking, or raise its sensitivity.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgewafspike"
            }
          },
          {
            "alert": "EdgeWafBlockedSpike",
            "expr": "avg_over_time(configuration:edge_waf_blocked_per_minute:sum[4m30s])\nand\nconfiguration:edge_waf_blocked_per_minute:active\nand\nmax_over_time(configuration:edge_waf_blocked_per_minute:above[3m30s])\nunless on (account, product, configuration)\nlast_over_time(configuration:edge_waf_threats_per_minute:since[1h9m30s])",
            "for": "10m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "scope": "configuration",
              "metric": "waf"
            },
            "annotations": {
              "summary": "{{ $value | humanize }} requests a minute blocked on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }})",
              "description": "The WAF blocks {{ $value | humanize }} requests a minute on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }}). Usual at this hour: {{ with printf `configuration:edge_waf_blocked_per_minute:seasonal{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanize }}{{ else }}less than 10{{ end }}; too much is what is above {{ with printf `configuration:edge_waf_blocked_per_minute:threshold{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanize }}{{ else }}40{{ end }}. First: look at `Last changes of settings` on the Security dashboard: a rule that changed as it began, or a deployment then, may stop your own visitors: relax it; without either it is an attack that the WAF stops.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgewafblockedspike"
            }
          },
          {
            "alert": "EdgeWafBlockedSpike",
            "expr": "avg_over_time(account:edge_waf_blocked_per_minute:sum[4m30s])\nand\naccount:edge_waf_blocked_per_minute:active\nand\nmax_over_time(account:edge_waf_blocked_per_minute:above[3m30s])\nunless on (account, product)\nlast_over_time(account:edge_waf_threats_per_minute:since[1h9m30s])\nunless on (account, product)\nlast_over_time(configuration:edge_waf_blocked_per_minute:since[1h9m30s])",
            "for": "14m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "scope": "account",
              "metric": "waf"
            },
            "annotations": {
              "summary": "{{ $value | humanize }} requests a minute blocked on account {{ $labels.account }} ({{ $labels.product }})",
              "description": "The WAF blocks {{ $value | humanize }} requests a minute on account {{ $labels.account }} ({{ $labels.product }}). Usual at this hour: {{ with printf `account:edge_waf_blocked_per_minute:seasonal{account=%q, product=%q}` $labels.account $labels.product | query }}{{ . | first | value | humanize }}{{ else }}less than 10{{ end }}; too much is what is above {{ with printf `account:edge_waf_blocked_per_minute:threshold{account=%q, product=%q}` $labels.account $labels.product | query }}{{ . | first | value | humanize }}{{ else }}40{{ end }}. First: look at `Last changes of settings` on the Security dashboard: a rule that changed as it began, or a deployment then, may stop your own visitors: relax it; without either it is an attack that the WAF stops.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgewafblockedspike"
            }
          },
          {
            "alert": "EdgeWafFamilyAttack",
            "expr": "avg_over_time(configuration:edge_waf_threats_by_family_per_minute:sum[4m30s])\nand\nconfiguration:edge_waf_threats_by_family_per_minute:active\nand\nmax_over_time(configuration:edge_waf_threats_by_family_per_minute:above[3m30s])\nunless on (account, product, configuration)\nlast_over_time(configuration:edge_waf_threats_per_minute:since[1h9m30s])",
            "for": "10m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "scope": "configuration",
              "metric": "waf"
            },
            "annotations": {
              "summary": "{{ $labels.family }} attack on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }}): {{ $value | humanize }} threats a minute",
              "description": "The WAF detects {{ $value | humanize }} threats a minute of the family {{ $labels.family }} on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }}). Usual at this hour: {{ with printf `configuration:edge_waf_threats_by_family_per_minute:seasonal{account=%q, product=%q, configuration=%q, family=%q}` $labels.account $labels.product $labels.configuration $labels.family | query }}{{ . | first | value | humanize }}{{ else }}less than 10{{ end }}; too much is what is above {{ with printf `configuration:edge_waf_threats_by_family_per_minute:threshold{account=%q, product=%q, configuration=%q, family=%q}` $labels.account $labels.product $labels.configuration $labels.family | query }}{{ . | first | value | humanize }}{{ else }}40{{ end }}. First: look at `Detected and stopped` on the Security dashboard: if less is stopped than detected, raise the sensitivity of the family.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgewaffamilyattack"
            }
          },
          {
            "alert": "Edge4xxRatio",
            "expr": "avg_over_time(configuration:edge_client_error_ratio:now[4m30s])\nand\nconfiguration:edge_client_error_ratio:active\nand\nmax_over_time(configuration:edge_client_error_ratio:above[3m30s])\nunless on (account, product, configuration)\nlast_over_time(configuration:edge_waf_threats_per_minute:since[1h9m30s])",
            "for": "10m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "scope": "configuration",
              "metric": "status_code"
            },
            "annotations": {
              "summary": "{{ $value | humanizePercentage }} client errors on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }})",
              "description": "{{ $value | humanizePercentage }} of the responses are 4xx on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }}). Usual at this hour: {{ with printf `configuration:edge_client_error_ratio:seasonal{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanizePercentage }}{{ else }}less than 5%{{ end }}; too much is what is above {{ with printf `configuration:edge_client_error_ratio:threshold{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanizePercentage }}{{ else }}20%{{ end }}. First: look which code it is, at `Client errors (4xx)` on the Configuration dashboard: 404 is a broken link or a scanner, 403 a rule, other often a login or a rate limit.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edge4xxratio"
            }
          },
          {
            "alert": "Edge4xxRatio",
            "expr": "avg_over_time(account:edge_client_error_ratio:now[4m30s])\nand\naccount:edge_client_error_ratio:active\nand\nmax_over_time(account:edge_client_error_ratio:above[3m30s])\nunless on (account, product)\nlast_over_time(account:edge_waf_threats_per_minute:since[1h9m30s])\nunless on (account, product)\nlast_over_time(configuration:edge_client_error_ratio:since[1h9m30s])",
            "for": "14m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "scope": "account",
              "metric": "status_code"
            },
            "annotations": {
              "summary": "{{ $value | humanizePercentage }} client errors on account {{ $labels.account }} ({{ $labels.product }})",
              "description": "{{ $value | humanizePercentage }} of the responses are 4xx on account {{ $labels.account }} ({{ $labels.product }}). Usual at this hour: {{ with printf `account:edge_client_error_ratio:seasonal{account=%q, product=%q}` $labels.account $labels.product | query }}{{ . | first | value | humanizePercentage }}{{ else }}less than 5%{{ end }}; too much is what is above {{ with printf `account:edge_client_error_ratio:threshold{account=%q, product=%q}` $labels.account $labels.product | query }}{{ . | first | value | humanizePercentage }}{{ else }}20%{{ end }}. First: look which code it is, at `Client errors (4xx)` on the Configuration dashboard: 404 is a broken link or a scanner, 403 a rule, other often a login or a rate limit.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edge4xxratio"
            }
          },
          {
            "alert": "EdgeOffloadCollapse",
            "expr": "avg_over_time(configuration:edge_cache_miss_ratio:now[4m30s])\nand\nconfiguration:edge_cache_miss_ratio:active\nand\nmax_over_time(configuration:edge_cache_miss_ratio:above[3m30s])\nunless on (account, product, configuration)\nlast_over_time(configuration:edge_waf_threats_per_minute:since[1h9m30s])",
            "for": "10m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "scope": "configuration",
              "metric": "requests"
            },
            "annotations": {
              "summary": "The cache does not serve {{ $value | humanizePercentage }} of the requests of {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }})",
              "description": "The origin has to answer {{ $value | humanizePercentage }} of the requests on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }}). Usual at this hour: {{ with printf `configuration:edge_cache_miss_ratio:seasonal{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanizePercentage }}{{ else }}unknown{{ end }}; too much is what is above {{ with printf `configuration:edge_cache_miss_ratio:threshold{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanizePercentage }}{{ else }}unknown{{ end }}. First: look at `Last changes of settings` on the Security dashboard: a change of the cache as it began: undo it; none: ask who has purged the cache, and wait: it fills again.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgeoffloadcollapse"
            }
          },
          {
            "alert": "EdgeOffloadCollapse",
            "expr": "avg_over_time(account:edge_cache_miss_ratio:now[4m30s])\nand\naccount:edge_cache_miss_ratio:active\nand\nmax_over_time(account:edge_cache_miss_ratio:above[3m30s])\nunless on (account, product)\nlast_over_time(account:edge_waf_threats_per_minute:since[1h9m30s])\nunless on (account, product)\nlast_over_time(configuration:edge_cache_miss_ratio:since[1h9m30s])",
            "for": "14m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "scope": "account",
              "metric": "requests"
            },
            "annotations": {
              "summary": "The cache does not serve {{ $value | humanizePercentage }} of the requests of account {{ $labels.account }} ({{ $labels.product }})",
              "description": "The origin has to answer {{ $value | humanizePercentage }} of the requests on account {{ $labels.account }} ({{ $labels.product }}). Usual at this hour: {{ with printf `account:edge_cache_miss_ratio:seasonal{account=%q, product=%q}` $labels.account $labels.product | query }}{{ . | first | value | humanizePercentage }}{{ else }}unknown{{ end }}; too much is what is above {{ with printf `account:edge_cache_miss_ratio:threshold{account=%q, product=%q}` $labels.account $labels.product | query }}{{ . | first | value | humanizePercentage }}{{ else }}unknown{{ end }}. First: look at `Last changes of settings` on the Security dashboard: a change of the cache as it began: undo it; none: ask who has purged the cache, and wait: it fills again.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgeoffloadcollapse"
            }
          },
          {
            "alert": "EdgeWafElevated",
            "expr": "avg_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s])\nand\n(\nlast_over_time(configuration:edge_waf_threats_per_minute:avg1h[12m30s]) > (last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]) * 2 > 0 * last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]) + 10 or 0 * last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]) + 10)\nand\nlast_over_time(configuration:edge_waf_threats_per_minute:avg1h[12m30s] offset 15m) > (last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]) * 2 > 0 * last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]) + 10 or 0 * last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]) + 10)\nor\nsum_over_time(configuration:edge_waf_threats_per_minute:above[59m30s]) >= 4\n)\nand\n(\navg_over_time(configuration:edge_waf_threats_per_minute:sum[11m30s]) > (last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]) * 2 > 0 * last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]) + 10 or 0 * last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]) + 10) / 2\nor\nmax_over_time(configuration:edge_waf_threats_per_minute:above[11m30s])\n)\nunless\navg_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s]) <= 1.5 * (last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]) * clamp_min((avg_over_time(configuration:edge_requests_per_minute:sum[59m30s]) - avg_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s]) + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30), 1) + 4)\nunless\nlast_over_time(configuration:edge_waf_threats_per_minute:since[2h59m30s])\nunless\n(quantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[19m30s]) > 1.05 * quantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[19m30s] offset 20m)\nand\nquantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[19m30s] offset 20m) > 1.05 * quantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[19m30s] offset 40m)\nand\nquantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[19m30s] offset 40m) > 1.05 * quantile_over_time(0.5, configuration:edge_waf_threats_per_minute:sum[19m30s] offset 1h) unless avg_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s] offset 2h30m) > 2 * last_over_time(configuration:edge_waf_threats_per_minute:seasonal[12m30s]))",
            "for": "10m",
            "keep_firing_for": "3m",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "scope": "configuration",
              "metric": "waf"
            },
            "annotations": {
              "summary": "{{ $value | humanize }} threats a minute in the last hour on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }})",
              "description": "In the last hour the WAF has detected {{ $value | humanize }} threats a minute on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }}). Usual at this hour: {{ with printf `configuration:edge_waf_threats_per_minute:seasonal{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }}. Too few for a page, or too short. First: look at `Detected and stopped` on the Security dashboard: as much stopped as detected, and no growth: it can wait; if it grows, do as for EdgeWafSpike now.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgewafelevated"
            }
          },
          {
            "alert": "EdgeStatusCodeSurge",
            "expr": "(\navg_over_time(configuration:edge_error_responses_per_minute:sum[4m30s])\nand\nconfiguration:edge_error_responses_per_minute:active\nand\nmax_over_time(configuration:edge_error_responses_per_minute:above[3m30s])\nor\navg_over_time(configuration:edge_error_responses_per_minute:sum[59m30s])\nand\n(\nlast_over_time(configuration:edge_error_responses_per_minute:avg1h[12m30s]) > ((last_over_time(configuration:edge_error_responses_per_minute:usual[12m30s]) or last_over_time(configuration:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * configuration:edge_error_responses_per_minute:sum) * 2 > 0 * (last_over_time(configuration:edge_error_responses_per_minute:usual[12m30s]) or last_over_time(configuration:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * configuration:edge_error_responses_per_minute:sum) + 20 or 0 * (last_over_time(configuration:edge_error_responses_per_minute:usual[12m30s]) or last_over_time(configuration:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * configuration:edge_error_responses_per_minute:sum) + 20)\nand\nlast_over_time(configuration:edge_error_responses_per_minute:avg1h[12m30s] offset 15m) > ((last_over_time(configuration:edge_error_responses_per_minute:usual[12m30s]) or last_over_time(configuration:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * configuration:edge_error_responses_per_minute:sum) * 2 > 0 * (last_over_time(configuration:edge_error_responses_per_minute:usual[12m30s]) or last_over_time(configuration:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * configuration:edge_error_responses_per_minute:sum) + 20 or 0 * (last_over_time(configuration:edge_error_responses_per_minute:usual[12m30s]) or last_over_time(configuration:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * configuration:edge_error_responses_per_minute:sum) + 20)\nor\nsum_over_time(configuration:edge_error_responses_per_minute:above[59m30s]) >= 4\n)\nand\n(\navg_over_time(configuration:edge_error_responses_per_minute:sum[11m30s]) > ((last_over_time(configuration:edge_error_responses_per_minute:usual[12m30s]) or last_over_time(configuration:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * configuration:edge_error_responses_per_minute:sum) * 2 > 0 * (last_over_time(configuration:edge_error_responses_per_minute:usual[12m30s]) or last_over_time(configuration:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * configuration:edge_error_responses_per_minute:sum) + 20 or 0 * (last_over_time(configuration:edge_error_responses_per_minute:usual[12m30s]) or last_over_time(configuration:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * configuration:edge_error_responses_per_minute:sum) + 20) / 2\nor\nmax_over_time(configuration:edge_error_responses_per_minute:above[11m30s])\n)\nunless\navg_over_time(configuration:edge_error_responses_per_minute:sum[59m30s]) <= 1.5 * ((last_over_time(configuration:edge_error_responses_per_minute:usual[12m30s]) or last_over_time(configuration:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * configuration:edge_error_responses_per_minute:sum) * on (account, product, configuration) group_left () clamp_min((avg_over_time(configuration:edge_requests_per_minute:sum[59m30s]) + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30), 1) + 6)\n)\nunless on (account, product, configuration)\nlast_over_time(configuration:edge_waf_threats_per_minute:since[2h59m30s])\nunless on (account, product, configuration)\nlast_over_time(configuration:edge_server_errors_per_minute:paging[1h9m30s])\nunless\n(max_over_time(configuration:edge_error_responses_per_minute:above{class=\"5xx\"}[19m30s]) unless max_over_time(configuration:edge_error_responses_per_minute:above{class=\"5xx\"}[59m30s] offset 20m) unless (sum_over_time(configuration:edge_error_responses_per_minute:above{class=\"5xx\"}[9m30s]) >= 8 unless on (account, product, configuration) configuration:edge_server_error_ratio:avg5m > 0.0144))",
            "for": "10m",
            "keep_firing_for": "3m",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "scope": "configuration",
              "metric": "status_code"
            },
            "annotations": {
              "summary": "{{ $value | humanize }} responses {{ $labels.code }} a minute on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }})",
              "description": "{{ $value | humanize }} responses a minute of {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }}) have the status code {{ $labels.code }} ({{ $labels.class }}), of minutes or in the mean of an hour. Usual at this hour: {{ with printf `configuration:edge_error_responses_per_minute:seasonal{account=%q, product=%q, configuration=%q, class=%q, code=%q}` $labels.account $labels.product $labels.configuration $labels.class $labels.code | query }}{{ . | first | value | humanize }}{{ else }}less than 10{{ end }}. First: go by the code: 404: a missing page, or a scanner: the log of the origin has the path; 403: a rule; other 4xx: logins or a limit, in the same log; 5xx: as for Edge5xxRatio.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgestatuscodesurge"
            }
          },
          {
            "alert": "EdgeWafElevated",
            "expr": "avg_over_time(account:edge_waf_threats_per_minute:sum[59m30s])\nand\n(\nlast_over_time(account:edge_waf_threats_per_minute:avg1h[12m30s]) > (last_over_time(account:edge_waf_threats_per_minute:usual[12m30s]) * 2 > 0 * last_over_time(account:edge_waf_threats_per_minute:usual[12m30s]) + 10 or 0 * last_over_time(account:edge_waf_threats_per_minute:usual[12m30s]) + 10)\nand\nlast_over_time(account:edge_waf_threats_per_minute:avg1h[12m30s] offset 15m) > (last_over_time(account:edge_waf_threats_per_minute:usual[12m30s]) * 2 > 0 * last_over_time(account:edge_waf_threats_per_minute:usual[12m30s]) + 10 or 0 * last_over_time(account:edge_waf_threats_per_minute:usual[12m30s]) + 10)\nor\nsum_over_time(account:edge_waf_threats_per_minute:above[59m30s]) >= 4\n)\nand\n(\navg_over_time(account:edge_waf_threats_per_minute:sum[11m30s]) > (last_over_time(account:edge_waf_threats_per_minute:usual[12m30s]) * 2 > 0 * last_over_time(account:edge_waf_threats_per_minute:usual[12m30s]) + 10 or 0 * last_over_time(account:edge_waf_threats_per_minute:usual[12m30s]) + 10) / 2\nor\nmax_over_time(account:edge_waf_threats_per_minute:above[11m30s])\n)\nunless\navg_over_time(account:edge_waf_threats_per_minute:sum[59m30s]) <= 1.5 * (sum by (account, product) (last_over_time(configuration:edge_waf_threats_per_minute:usual[12m30s]) * clamp_min((avg_over_time(configuration:edge_requests_per_minute:sum[59m30s]) - avg_over_time(configuration:edge_waf_threats_per_minute:sum[59m30s]) + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30), 1)) + 4)\nunless\nlast_over_time(account:edge_waf_threats_per_minute:since[2h59m30s])\nunless\n(quantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[19m30s]) > 1.05 * quantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[19m30s] offset 20m)\nand\nquantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[19m30s] offset 20m) > 1.05 * quantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[19m30s] offset 40m)\nand\nquantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[19m30s] offset 40m) > 1.05 * quantile_over_time(0.5, account:edge_waf_threats_per_minute:sum[19m30s] offset 1h) unless avg_over_time(account:edge_waf_threats_per_minute:sum[59m30s] offset 2h30m) > 2 * last_over_time(account:edge_waf_threats_per_minute:seasonal[12m30s]))\nunless on (account, product)\nlast_over_time(configuration:edge_waf_threats_per_minute:since[1h9m30s])",
            "for": "14m",
            "keep_firing_for": "3m",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "scope": "account",
              "metric": "waf"
            },
            "annotations": {
              "summary": "{{ $value | humanize }} threats a minute in the last hour on account {{ $labels.account }} ({{ $labels.product }})",
              "description": "In the last hour the WAF has detected {{ $value | humanize }} threats a minute on account {{ $labels.account }} ({{ $labels.product }}). Usual at this hour: {{ with printf `account:edge_waf_threats_per_minute:seasonal{account=%q, product=%q}` $labels.account $labels.product | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }}. Too few for a page, or too short. First: look at `Detected and stopped` on the Security dashboard: as much stopped as detected, and no growth: it can wait; if it grows, do as for EdgeWafSpike now.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgewafelevated"
            }
          },
          {
            "alert": "EdgeStatusCodeSurge",
            "expr": "(\navg_over_time(account:edge_error_responses_per_minute:sum[4m30s])\nand\naccount:edge_error_responses_per_minute:active\nand\nmax_over_time(account:edge_error_responses_per_minute:above[3m30s])\nor\navg_over_time(account:edge_error_responses_per_minute:sum[59m30s])\nand\n(\nlast_over_time(account:edge_error_responses_per_minute:avg1h[12m30s]) > ((last_over_time(account:edge_error_responses_per_minute:usual[12m30s]) or last_over_time(account:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * account:edge_error_responses_per_minute:sum) * 2 > 0 * (last_over_time(account:edge_error_responses_per_minute:usual[12m30s]) or last_over_time(account:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * account:edge_error_responses_per_minute:sum) + 20 or 0 * (last_over_time(account:edge_error_responses_per_minute:usual[12m30s]) or last_over_time(account:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * account:edge_error_responses_per_minute:sum) + 20)\nand\nlast_over_time(account:edge_error_responses_per_minute:avg1h[12m30s] offset 15m) > ((last_over_time(account:edge_error_responses_per_minute:usual[12m30s]) or last_over_time(account:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * account:edge_error_responses_per_minute:sum) * 2 > 0 * (last_over_time(account:edge_error_responses_per_minute:usual[12m30s]) or last_over_time(account:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * account:edge_error_responses_per_minute:sum) + 20 or 0 * (last_over_time(account:edge_error_responses_per_minute:usual[12m30s]) or last_over_time(account:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * account:edge_error_responses_per_minute:sum) + 20)\nor\nsum_over_time(account:edge_error_responses_per_minute:above[59m30s]) >= 4\n)\nand\n(\navg_over_time(account:edge_error_responses_per_minute:sum[11m30s]) > ((last_over_time(account:edge_error_responses_per_minute:usual[12m30s]) or last_over_time(account:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * account:edge_error_responses_per_minute:sum) * 2 > 0 * (last_over_time(account:edge_error_responses_per_minute:usual[12m30s]) or last_over_time(account:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * account:edge_error_responses_per_minute:sum) + 20 or 0 * (last_over_time(account:edge_error_responses_per_minute:usual[12m30s]) or last_over_time(account:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * account:edge_error_responses_per_minute:sum) + 20) / 2\nor\nmax_over_time(account:edge_error_responses_per_minute:above[11m30s])\n)\nunless\navg_over_time(account:edge_error_responses_per_minute:sum[59m30s]) <= 1.5 * (sum by (account, product, class, code) ((last_over_time(configuration:edge_error_responses_per_minute:usual[12m30s]) or last_over_time(configuration:edge_error_responses_per_minute:avg1h[12m30s]) or 0 * configuration:edge_error_responses_per_minute:sum) * on (account, product, configuration) group_left () clamp_min((avg_over_time(configuration:edge_requests_per_minute:sum[59m30s]) + 30) / (last_over_time(configuration:edge_requests_per_minute:usual[12m30s]) + 30), 1)) + 6)\n)\nunless on (account, product)\nlast_over_time(account:edge_waf_threats_per_minute:since[2h59m30s])\nunless on (account, product)\nlast_over_time(configuration:edge_server_errors_per_minute:paging[1h9m30s])\nunless on (account, product)\nlast_over_time(account:edge_server_errors_per_minute:paging[1h9m30s])\nunless\n(max_over_time(account:edge_error_responses_per_minute:above{class=\"5xx\"}[19m30s]) unless max_over_time(account:edge_error_responses_per_minute:above{class=\"5xx\"}[59m30s] offset 20m) unless (sum_over_time(account:edge_error_responses_per_minute:above{class=\"5xx\"}[9m30s]) >= 8 unless on (account, product) account:edge_server_error_ratio:avg5m > 0.0144))\nunless on (account, product)\nlast_over_time(configuration:edge_error_responses_per_minute:since[1h9m30s])",
            "for": "14m",
            "keep_firing_for": "3m",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "scope": "account",
              "metric": "status_code"
            },
            "annotations": {
              "summary": "{{ $value | humanize }} responses {{ $labels.code }} a minute on account {{ $labels.account }} ({{ $labels.product }})",
              "description": "{{ $value | humanize }} responses a minute of account {{ $labels.account }} ({{ $labels.product }}) have the status code {{ $labels.code }} ({{ $labels.class }}), of minutes or in the mean of an hour. Usual at this hour: {{ with printf `account:edge_error_responses_per_minute:seasonal{account=%q, product=%q, class=%q, code=%q}` $labels.account $labels.product $labels.class $labels.code | query }}{{ . | first | value | humanize }}{{ else }}less than 10{{ end }}. First: go by the code: 404: a missing page, or a scanner: the log of the origin has the path; 403: a rule; other 4xx: logins or a limit, in the same log; 5xx: as for Edge5xxRatio.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgestatuscodesurge"
            }
          },
          {
            "alert": "EdgeAttackUsual",
            "expr": "last_over_time(configuration:edge_waf_threats_per_minute:avg1h[12m30s])\nand\nlast_over_time(configuration:edge_waf_threats_per_minute:accepted[23h59m30s])",
            "for": "1h",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "scope": "configuration",
              "metric": "waf"
            },
            "annotations": {
              "summary": "{{ $value | humanize }} threats a minute on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }}) are taken for usual now",
              "description": "What has been usual on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }}) since {{ with printf `last_over_time(configuration:edge_waf_threats_per_minute:since{account=%q, product=%q, configuration=%q}[2d])` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanizeTimestamp }}{{ else }}2d ago{{ end }} is an attack's level: threats were above their threshold for 2d, so that {{ $value | humanize }} a minute is what counts as usual now. An attack of that size is not told any more, now or when it comes again. First: decide whether it is an attack still, or traffic that has changed: `Threats by family` and `Let through` on the Security dashboard.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgeattackusual"
            }
          },
          {
            "alert": "EdgeAttackUsual",
            "expr": "last_over_time(account:edge_waf_threats_per_minute:avg1h[12m30s])\nand\nlast_over_time(account:edge_waf_threats_per_minute:accepted[23h59m30s])\nunless on (account, product)\nlast_over_time(configuration:edge_waf_threats_per_minute:accepted[23h59m30s])",
            "for": "1h",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "scope": "account",
              "metric": "waf"
            },
            "annotations": {
              "summary": "{{ $value | humanize }} threats a minute on account {{ $labels.account }} ({{ $labels.product }}) are taken for usual now",
              "description": "What has been usual on account {{ $labels.account }} ({{ $labels.product }}) since {{ with printf `last_over_time(account:edge_waf_threats_per_minute:since{account=%q, product=%q}[2d])` $labels.account $labels.product | query }}{{ . | first | value | humanizeTimestamp }}{{ else }}2d ago{{ end }} is an attack's level: threats were above their threshold for 2d, so that {{ $value | humanize }} a minute is what counts as usual now. An attack of that size is not told any more, now or when it comes again. First: decide whether it is an attack still, or traffic that has changed: `Threats by family` and `Let through` on the Security dashboard.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgeattackusual"
            }
          },
          {
            "alert": "EdgeTrafficFlood",
            "expr": "avg_over_time(configuration:edge_requests_per_minute:sum[4m30s])\nand\nconfiguration:edge_requests_per_minute:active\nand\nmax_over_time(configuration:edge_requests_per_minute:above[3m30s])\nand on (account, product, configuration)\n(\nconfiguration:edge_server_error_ratio:avg5m > 0.01\nor\nsum_over_time(configuration:edge_waf_threats_per_minute:above[11m30s]) >= 3\nor\nsum_over_time(configuration:edge_client_error_ratio:above[11m30s]) >= 3\n)",
            "for": "5m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "page",
              "about": "traffic",
              "scope": "configuration",
              "metric": "requests",
              "reason": "harm"
            },
            "annotations": {
              "summary": "{{ $value | humanize }} requests a minute on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }})",
              "description": "The edge answers {{ $value | humanize }} requests a minute on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }}). Usual at this hour: {{ with printf `configuration:edge_requests_per_minute:seasonal{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }}; too many are more than {{ with printf `configuration:edge_requests_per_minute:threshold{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }}. Errors or threats rise with them. First: look at `Served from the cache` and `Share of errors` on the Configuration dashboard: both as before: the edge bears it, and it can wait; fewer served or more errors: protect the origin: cache more, limit rates, block the sources. Ask whether a campaign was planned.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgetrafficflood"
            }
          },
          {
            "alert": "EdgeTrafficFlood",
            "expr": "avg_over_time(configuration:edge_requests_per_minute:sum[4m30s])\nand\nconfiguration:edge_requests_per_minute:active\nand\nmax_over_time(configuration:edge_requests_per_minute:above[3m30s])\nunless on (account, product, configuration)\n(\nconfiguration:edge_server_error_ratio:avg5m > 0.01\nor\nsum_over_time(configuration:edge_waf_threats_per_minute:above[11m30s]) >= 3\nor\nsum_over_time(configuration:edge_client_error_ratio:above[11m30s]) >= 3\n)",
            "labels": {
              "severity": "info",
              "about": "traffic",
              "scope": "configuration",
              "metric": "requests",
              "reason": "traffic"
            },
            "annotations": {
              "summary": "{{ $value | humanize }} requests a minute on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }})",
              "description": "The edge answers {{ $value | humanize }} requests a minute on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }}). Usual at this hour: {{ with printf `configuration:edge_requests_per_minute:seasonal{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }}; too many are more than {{ with printf `configuration:edge_requests_per_minute:threshold{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }}. Neither errors nor threats rise with them.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgetrafficflood"
            }
          },
          {
            "alert": "EdgeTrafficFlood",
            "expr": "avg_over_time(account:edge_requests_per_minute:sum[4m30s])\nand\naccount:edge_requests_per_minute:active\nand\nmax_over_time(account:edge_requests_per_minute:above[3m30s])\nunless on (account, product)\nlast_over_time(configuration:edge_requests_per_minute:since[1h9m30s])\nand on (account, product)\n(\naccount:edge_server_error_ratio:avg5m > 0.01\nor\nsum_over_time(account:edge_waf_threats_per_minute:above[11m30s]) >= 3\nor\nsum_over_time(account:edge_client_error_ratio:above[11m30s]) >= 3\n)",
            "for": "9m",
            "labels": {
              "severity": "page",
              "about": "traffic",
              "scope": "account",
              "metric": "requests",
              "reason": "harm"
            },
            "annotations": {
              "summary": "{{ $value | humanize }} requests a minute on account {{ $labels.account }} ({{ $labels.product }})",
              "description": "The edge answers {{ $value | humanize }} requests a minute on account {{ $labels.account }} ({{ $labels.product }}). Usual at this hour: {{ with printf `account:edge_requests_per_minute:seasonal{account=%q, product=%q}` $labels.account $labels.product | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }}; too many are more than {{ with printf `account:edge_requests_per_minute:threshold{account=%q, product=%q}` $labels.account $labels.product | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }}. Errors or threats rise with them. First: look at `Served from the cache` and `Share of errors` on the Configuration dashboard: both as before: the edge bears it, and it can wait; fewer served or more errors: protect the origin: cache more, limit rates, block the sources. Ask whether a campaign was planned.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgetrafficflood"
            }
          },
          {
            "alert": "EdgeTrafficFlood",
            "expr": "avg_over_time(account:edge_requests_per_minute:sum[4m30s])\nand\naccount:edge_requests_per_minute:active\nand\nmax_over_time(account:edge_requests_per_minute:above[3m30s])\nunless on (account, product)\nlast_over_time(configuration:edge_requests_per_minute:since[1h9m30s])\nunless on (account, product)\n(\naccount:edge_server_error_ratio:avg5m > 0.01\nor\nsum_over_time(account:edge_waf_threats_per_minute:above[11m30s]) >= 3\nor\nsum_over_time(account:edge_client_error_ratio:above[11m30s]) >= 3\n)",
            "for": "4m",
            "labels": {
              "severity": "info",
              "about": "traffic",
              "scope": "account",
              "metric": "requests",
              "reason": "traffic"
            },
            "annotations": {
              "summary": "{{ $value | humanize }} requests a minute on account {{ $labels.account }} ({{ $labels.product }})",
              "description": "The edge answers {{ $value | humanize }} requests a minute on account {{ $labels.account }} ({{ $labels.product }}). Usual at this hour: {{ with printf `account:edge_requests_per_minute:seasonal{account=%q, product=%q}` $labels.account $labels.product | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }}; too many are more than {{ with printf `account:edge_requests_per_minute:threshold{account=%q, product=%q}` $labels.account $labels.product | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }}. Neither errors nor threats rise with them.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgetrafficflood"
            }
          }
        ]
      },
      {
        "name": "edge-drops",
        "interval": "1m",
        "rules": [
          {
            "alert": "EdgeTrafficDrop",
            "expr": "avg_over_time(configuration:edge_requests_per_minute:sum[4m30s])\nand\nconfiguration:edge_requests_per_minute:fallen\nand\nlast_over_time(configuration:edge_requests_per_minute:lower_threshold[12m30s])\nunless\n(0.3 * (last_over_time(configuration:edge_requests_per_minute:seasonal[12m30s]) - avg_over_time(configuration:edge_requests_per_minute:sum[4m30s])) <= on (account, product) group_left () max by (account, product) ((((avg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) > last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s]) or last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s])) > 1.7 * last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 6d23h30m)) - last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 6d23h30m) or avg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) unless (last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 6d23h30m) or last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 3d))) unless configuration:edge_requests_per_minute:fallen) and 2.5 * (last_over_time(configuration:edge_requests_per_minute:seasonal[12m30s]) - avg_over_time(configuration:edge_requests_per_minute:sum[4m30s])) >= on (account, product) group_left () max by (account, product) ((((avg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) > last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s]) or last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s])) > 1.7 * last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 6d23h30m)) - last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 6d23h30m) or avg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) unless (last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 6d23h30m) or last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 3d))) unless configuration:edge_requests_per_minute:fallen))\nunless on (account, product, configuration)\nconfiguration:edge_data_age_seconds:stale{metric=\"requests\"}",
            "for": "5m",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "page",
              "about": "traffic",
              "scope": "configuration",
              "metric": "requests",
              "reason": "lost"
            },
            "annotations": {
              "summary": "Only {{ $value | humanize }} requests a minute on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }})",
              "description": "The edge answers {{ $value | humanize }} requests a minute on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }}). Usual at this hour: {{ with printf `configuration:edge_requests_per_minute:seasonal{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }}. The data is fresh. Visitors do not arrive. First: open the site from outside, a phone will do: no answer: look at DNS, then at the certificate; an error: go on as for Edge5xxRatio; as ever: a holiday, the end of a campaign, or visitors who are sent elsewhere, and nothing to mend.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgetrafficdrop"
            }
          },
          {
            "alert": "EdgeTrafficDrop",
            "expr": "avg_over_time(configuration:edge_requests_per_minute:sum[4m30s])\nand\nconfiguration:edge_requests_per_minute:fallen\nunless\n(last_over_time(configuration:edge_requests_per_minute:lower_threshold[12m30s]) unless (0.3 * (last_over_time(configuration:edge_requests_per_minute:seasonal[12m30s]) - avg_over_time(configuration:edge_requests_per_minute:sum[4m30s])) <= on (account, product) group_left () max by (account, product) ((((avg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) > last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s]) or last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s])) > 1.7 * last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 6d23h30m)) - last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 6d23h30m) or avg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) unless (last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 6d23h30m) or last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 3d))) unless configuration:edge_requests_per_minute:fallen) and 2.5 * (last_over_time(configuration:edge_requests_per_minute:seasonal[12m30s]) - avg_over_time(configuration:edge_requests_per_minute:sum[4m30s])) >= on (account, product) group_left () max by (account, product) ((((avg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) > last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s]) or last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s])) > 1.7 * last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 6d23h30m)) - last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 6d23h30m) or avg_over_time(configuration:edge_requests_per_minute:sum[4m30s]) unless (last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 6d23h30m) or last_over_time(configuration:edge_requests_per_minute:avg1h[12m30s] offset 3d))) unless configuration:edge_requests_per_minute:fallen)))\nunless on (account, product, configuration)\nconfiguration:edge_data_age_seconds:stale{metric=\"requests\"}",
            "for": "10m",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "scope": "configuration",
              "metric": "requests",
              "reason": "unsure"
            },
            "annotations": {
              "summary": "Only {{ $value | humanize }} requests a minute on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }})",
              "description": "The edge answers {{ $value | humanize }} requests a minute on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }}). Usual at this hour: {{ with printf `configuration:edge_requests_per_minute:seasonal{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }}. The data is fresh. Nobody is woken: either there is too little to compare with, or another configuration of the account has gained what this one has lost. First: open the site from outside, a phone will do: no answer: look at DNS, then at the certificate; an error: go on as for Edge5xxRatio; as ever: a holiday, the end of a campaign, or visitors who are sent elsewhere, and nothing to mend.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgetrafficdrop"
            }
          },
          {
            "alert": "EdgeTrafficDrop",
            "expr": "avg_over_time(account:edge_requests_per_minute:sum[4m30s])\nand\naccount:edge_requests_per_minute:fallen\nand\nlast_over_time(account:edge_requests_per_minute:lower_threshold[12m30s])\nunless on (account, product)\nconfiguration:edge_data_age_seconds:stale{metric=\"requests\"}\nunless on (account, product)\nlast_over_time(configuration:edge_requests_per_minute:since[1h9m30s])",
            "for": "9m",
            "labels": {
              "severity": "page",
              "about": "traffic",
              "scope": "account",
              "metric": "requests",
              "reason": "lost"
            },
            "annotations": {
              "summary": "Only {{ $value | humanize }} requests a minute on account {{ $labels.account }} ({{ $labels.product }})",
              "description": "The edge answers {{ $value | humanize }} requests a minute on account {{ $labels.account }} ({{ $labels.product }}). Usual at this hour: {{ with printf `account:edge_requests_per_minute:seasonal{account=%q, product=%q}` $labels.account $labels.product | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }}. The data is fresh. Visitors do not arrive. First: open the site from outside, a phone will do: no answer: look at DNS, then at the certificate; an error: go on as for Edge5xxRatio; as ever: a holiday, the end of a campaign, or visitors who are sent elsewhere, and nothing to mend.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgetrafficdrop"
            }
          },
          {
            "alert": "EdgeTrafficDrop",
            "expr": "avg_over_time(account:edge_requests_per_minute:sum[4m30s])\nand\naccount:edge_requests_per_minute:fallen\nunless\nlast_over_time(account:edge_requests_per_minute:lower_threshold[12m30s])\nunless on (account, product)\nconfiguration:edge_data_age_seconds:stale{metric=\"requests\"}\nunless on (account, product)\nlast_over_time(configuration:edge_requests_per_minute:since[1h9m30s])",
            "for": "10m",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "scope": "account",
              "metric": "requests",
              "reason": "unsure"
            },
            "annotations": {
              "summary": "Only {{ $value | humanize }} requests a minute on account {{ $labels.account }} ({{ $labels.product }})",
              "description": "The edge answers {{ $value | humanize }} requests a minute on account {{ $labels.account }} ({{ $labels.product }}). Usual at this hour: {{ with printf `account:edge_requests_per_minute:seasonal{account=%q, product=%q}` $labels.account $labels.product | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }}. The data is fresh. Nobody is woken: there is too little to compare with. First: open the site from outside, a phone will do: no answer: look at DNS, then at the certificate; an error: go on as for Edge5xxRatio; as ever: a holiday, the end of a campaign, or visitors who are sent elsewhere, and nothing to mend.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgetrafficdrop"
            }
          }
        ]
      },
      {
        "name": "edge-errors",
        "interval": "1m",
        "rules": [
          {
            "alert": "Edge5xxRatio",
            "expr": "configuration:edge_server_error_ratio:avg5m\nand\nconfiguration:edge_server_errors_per_minute:paging",
            "keep_firing_for": "10m",
            "labels": {
              "severity": "page",
              "about": "traffic",
              "scope": "configuration",
              "burn": "fast",
              "metric": "status_code"
            },
            "annotations": {
              "summary": "{{ $value | humanizePercentage }} server errors on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }})",
              "description": "{{ $value | humanizePercentage }} of the responses of {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }}) in the last 5m were 5xx: {{ with printf `configuration:edge_server_error_ratio:avg5m{account=%q, product=%q, configuration=%q} / 0.001` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }} times what the budget allows. In the last 30m it was {{ with printf `configuration:edge_server_error_ratio:avg30m{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanizePercentage }}{{ else }}unknown{{ end }}. First: look which codes these are, at `Server errors (5xx)` on the Configuration dashboard: 500: roll back the last deployment; 502, 503, other: see whether the origin runs, and the way to it.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edge5xxratio"
            }
          },
          {
            "alert": "Edge5xxRatio",
            "expr": "configuration:edge_server_error_ratio:avg30m > 0.5\nand\navg_over_time(configuration:edge_server_errors_per_minute:sum[29m30s]) * 30 >= 10\nand\nsum_over_time(configuration:edge_server_errors_per_minute:failing[29m30s]) >= 10\nunless\nlast_over_time(configuration:edge_server_errors_per_minute:paging[1h9m30s])",
            "for": "5m",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "scope": "configuration",
              "burn": "broken",
              "metric": "status_code"
            },
            "annotations": {
              "summary": "{{ $value | humanizePercentage }} server errors on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }})",
              "description": "{{ $value | humanizePercentage }} of the responses of {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }}) in the last 30m were 5xx. It has few requests, so nobody is woken. First: look which codes these are, at `Server errors (5xx)` on the Configuration dashboard: 500: roll back the last deployment; 502, 503, other: see whether the origin runs, and the way to it.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edge5xxratio"
            }
          },
          {
            "alert": "Edge5xxRatio",
            "expr": "configuration:edge_server_error_ratio:avg6h > 0.001\nand\nconfiguration:edge_server_error_ratio:avg3d > 0.001\nand\nconfiguration:edge_server_error_ratio:avg30m > 0.001\nand\nconfiguration:edge_server_error_ratio:avg30m <= 0.5\nand\nconfiguration:edge_responses_per_minute:avg6h >= 10\nand\nconfiguration:edge_server_errors_per_minute:avg6h >= 0.06\nunless\nlast_over_time(configuration:edge_server_errors_per_minute:paging[5h59m30s])",
            "for": "35m",
            "keep_firing_for": "1d",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "scope": "configuration",
              "burn": "creeping",
              "metric": "status_code"
            },
            "annotations": {
              "summary": "{{ $value | humanizePercentage }} server errors on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }})",
              "description": "{{ $value | humanizePercentage }} of the responses of {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }}) in the last 6h were 5xx, and {{ with printf `configuration:edge_server_error_ratio:avg3d{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanizePercentage }}{{ else }}unknown{{ end }} in the last 3d: more than the budget allows. First: look which codes these are, at `Server errors (5xx)` on the Configuration dashboard: 500: roll back the last deployment; 502, 503, other: see whether the origin runs, and the way to it.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edge5xxratio"
            }
          },
          {
            "alert": "Edge5xxRatio",
            "expr": "account:edge_server_error_ratio:avg5m\nand\naccount:edge_server_errors_per_minute:paging\nunless on (account, product)\nlast_over_time(configuration:edge_server_errors_per_minute:paging[1h9m30s])",
            "for": "4m",
            "labels": {
              "severity": "page",
              "about": "traffic",
              "scope": "account",
              "burn": "fast",
              "metric": "status_code"
            },
            "annotations": {
              "summary": "{{ $value | humanizePercentage }} server errors on account {{ $labels.account }} ({{ $labels.product }})",
              "description": "{{ $value | humanizePercentage }} of the responses of account {{ $labels.account }} ({{ $labels.product }}) in the last 5m were 5xx: {{ with printf `account:edge_server_error_ratio:avg5m{account=%q, product=%q} / 0.001` $labels.account $labels.product | query }}{{ . | first | value | humanize }}{{ else }}unknown{{ end }} times what the budget allows. In the last 30m it was {{ with printf `account:edge_server_error_ratio:avg30m{account=%q, product=%q}` $labels.account $labels.product | query }}{{ . | first | value | humanizePercentage }}{{ else }}unknown{{ end }}. First: look which codes these are, at `Server errors (5xx)` on the Configuration dashboard: 500: roll back the last deployment; 502, 503, other: see whether the origin runs, and the way to it.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edge5xxratio"
            }
          },
          {
            "alert": "Edge5xxRatio",
            "expr": "account:edge_server_error_ratio:avg30m > 0.5\nand\navg_over_time(account:edge_server_errors_per_minute:sum[29m30s]) * 30 >= 10\nand\nsum_over_time(account:edge_server_errors_per_minute:failing[29m30s]) >= 10\nunless\nlast_over_time(account:edge_server_errors_per_minute:paging[1h9m30s])\nunless on (account, product)\nlast_over_time(configuration:edge_server_errors_per_minute:paging[1h9m30s])",
            "for": "5m",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "scope": "account",
              "burn": "broken",
              "metric": "status_code"
            },
            "annotations": {
              "summary": "{{ $value | humanizePercentage }} server errors on account {{ $labels.account }} ({{ $labels.product }})",
              "description": "{{ $value | humanizePercentage }} of the responses of account {{ $labels.account }} ({{ $labels.product }}) in the last 30m were 5xx. It has few requests, so nobody is woken. First: look which codes these are, at `Server errors (5xx)` on the Configuration dashboard: 500: roll back the last deployment; 502, 503, other: see whether the origin runs, and the way to it.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edge5xxratio"
            }
          },
          {
            "alert": "Edge5xxRatio",
            "expr": "account:edge_server_error_ratio:avg6h > 0.001\nand\naccount:edge_server_error_ratio:avg3d > 0.001\nand\naccount:edge_server_error_ratio:avg30m > 0.001\nand\naccount:edge_server_error_ratio:avg30m <= 0.5\nand\naccount:edge_responses_per_minute:avg6h >= 10\nand\naccount:edge_server_errors_per_minute:avg6h >= 5\nunless\nlast_over_time(account:edge_server_errors_per_minute:paging[5h59m30s])\nunless on (account, product)\nlast_over_time(configuration:edge_server_errors_per_minute:paging[1h9m30s])",
            "for": "35m",
            "keep_firing_for": "1d",
            "labels": {
              "severity": "ticket",
              "about": "traffic",
              "scope": "account",
              "burn": "creeping",
              "metric": "status_code"
            },
            "annotations": {
              "summary": "{{ $value | humanizePercentage }} server errors on account {{ $labels.account }} ({{ $labels.product }})",
              "description": "{{ $value | humanizePercentage }} of the responses of account {{ $labels.account }} ({{ $labels.product }}) in the last 6h were 5xx, and {{ with printf `account:edge_server_error_ratio:avg3d{account=%q, product=%q}` $labels.account $labels.product | query }}{{ . | first | value | humanizePercentage }}{{ else }}unknown{{ end }} in the last 3d: more than the budget allows. First: look which codes these are, at `Server errors (5xx)` on the Configuration dashboard: 500: roll back the last deployment; 502, 503, other: see whether the origin runs, and the way to it.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edge5xxratio"
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
              "summary": "{{ $value | humanizePercentage }} of the origin's responses fail on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }})",
              "description": "{{ $value | humanizePercentage }} of the responses of the origins of {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }}) in the last 5m were 5xx, whatever the cache made of them. First: look at `Responses of the origin` on the Configuration dashboard: since when 5xx have risen, and what was deployed then.",
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
              "summary": "The origin takes {{ $value | humanizeDuration }} a response on {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }})",
              "description": "The origins of {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }}) took {{ $value | humanizeDuration }} for a response in the mean of the last 5m. Usual is {{ with printf `configuration:edge_upstream_response_seconds:usual{account=%q, product=%q, configuration=%q}` $labels.account $labels.product $labels.configuration | query }}{{ . | first | value | humanizeDuration }}{{ else }}unknown{{ end }}, the median of the last day. First: compare `requests` with `origin` in `Time a request takes` on the Configuration dashboard: where `requests` did not rise, the cache holds, and it can wait.",
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
              "description": "The WAF rule set {{ $labels.waf_ruleset }} of {{ $labels.account }} was blocking and is counting now: threats are detected and let through. First: ask whoever changed it last (`Last changes of settings` on the Security dashboard) whether it is being tuned; if not, switch it back to blocking.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgewafcounting"
            }
          },
          {
            "alert": "EdgeWafOff",
            "expr": "min without (container, endpoint, instance, job, node, pod, replica, service) (edge_waf_ruleset_active) == 0\nand on (account, waf_ruleset_id)\n(edge_waf_ruleset_active offset 1h == 1 or edge_waf_ruleset_active offset 1d == 1 or edge_waf_ruleset_active offset 1w == 1)",
            "for": "5m",
            "labels": {
              "severity": "page",
              "about": "settings",
              "scope": "ruleset"
            },
            "annotations": {
              "summary": "The WAF rule set {{ $labels.waf_ruleset }} ({{ $labels.account }}) is off",
              "description": "The WAF rule set {{ $labels.waf_ruleset }} of {{ $labels.account }} was active and is not any more: it neither stops nor detects threats. First: switch it on again in the platform's console, unless somebody can say why it is off; `Last changes of settings` on the Security dashboard says since when.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgewafoff"
            }
          },
          {
            "alert": "EdgeWafOff",
            "expr": "min without (container, endpoint, instance, job, node, pod, replica, service) (edge_firewall_waf_enabled) == 0\nand on (account, firewall_id)\n(edge_firewall_waf_enabled offset 1h == 1 or edge_firewall_waf_enabled offset 1d == 1 or edge_firewall_waf_enabled offset 1w == 1)",
            "for": "5m",
            "labels": {
              "severity": "page",
              "about": "settings",
              "scope": "firewall"
            },
            "annotations": {
              "summary": "The WAF of the firewall {{ $labels.firewall }} ({{ $labels.account }}) is off",
              "description": "The firewall {{ $labels.firewall }} of {{ $labels.account }} had its WAF enabled and has it disabled now: its domains are unprotected. First: switch it on again in the platform's console, unless somebody can say why it is off; `Last changes of settings` on the Security dashboard says since when.",
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
              "description": "The firewall {{ $labels.firewall }} of {{ $labels.account }} was active and is not any more: none of its rules protects its domains. First: activate it again in the platform's console, unless somebody can say why it is off; `Last changes of settings` on the Security dashboard says since when.",
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
              "description": "The edge keeps responses {{ $labels.code }} of {{ $labels.configuration }} ({{ $labels.account }}) for {{ $value | humanizeDuration }}: a short failure of the origin is shown to visitors for so long. First: lower the time for which the configuration caches that code to a few seconds.",
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
              "description": "The certificate {{ $labels.certificate }} of {{ $labels.account }} {{ if lt $value 0.0 }}expired {{ $value | humanizeDuration | reReplaceAll \"^-\" \"\" }} ago{{ else }}expires in {{ $value | humanizeDuration }}{{ end }}. Of an expired one visitors are warned instead of shown the site. Who renews it: {{ range printf \"edge_certificate_managed{account=%q, certificate_id=%q}\" $labels.account $labels.certificate_id | query }}{{ if eq .Value 1.0 }}the platform{{ else }}you{{ end }}{{ else }}unknown{{ end }}. First: see in the alert's text who renews it. The platform: look whether the domain is still delegated to it. You: renew it, and bind the new one to its domains.",
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
              "description": "The certificate {{ $labels.certificate }} of {{ $labels.account }} {{ if lt $value 0.0 }}expired {{ $value | humanizeDuration | reReplaceAll \"^-\" \"\" }} ago{{ else }}expires in {{ $value | humanizeDuration }}{{ end }}. Of an expired one visitors are warned instead of shown the site. Who renews it: {{ range printf \"edge_certificate_managed{account=%q, certificate_id=%q}\" $labels.account $labels.certificate_id | query }}{{ if eq .Value 1.0 }}the platform{{ else }}you{{ end }}{{ else }}unknown{{ end }}. First: see in the alert's text who renews it. The platform: look whether the domain is still delegated to it. You: renew it, and bind the new one to its domains.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgecertificateexpiring"
            }
          },
          {
            "alert": "EdgeSettingChanged",
            "expr": "time() - max without (container, endpoint, instance, job, node, pod, replica, service) (edge_application_changed_timestamp_seconds) < 900",
            "labels": {
              "severity": "info",
              "about": "settings",
              "kind": "application"
            },
            "annotations": {
              "summary": "Changed: application {{ $labels.edge_application }} ({{ $labels.account }})",
              "description": "A setting of the application {{ $labels.edge_application }} of {{ $labels.account }} differs from what it was {{ $value | humanizeDuration }} ago.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgesettingchanged"
            }
          },
          {
            "alert": "EdgeSettingChanged",
            "expr": "time() - max without (container, endpoint, instance, job, node, pod, replica, service) (edge_certificate_changed_timestamp_seconds) < 900",
            "labels": {
              "severity": "info",
              "about": "settings",
              "kind": "certificate"
            },
            "annotations": {
              "summary": "Changed: certificate {{ $labels.certificate }} ({{ $labels.account }})",
              "description": "A setting of the certificate {{ $labels.certificate }} of {{ $labels.account }} differs from what it was {{ $value | humanizeDuration }} ago.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgesettingchanged"
            }
          },
          {
            "alert": "EdgeSettingChanged",
            "expr": "time() - max without (container, endpoint, instance, job, node, pod, replica, service) (edge_domain_changed_timestamp_seconds) < 900",
            "labels": {
              "severity": "info",
              "about": "settings",
              "kind": "domain"
            },
            "annotations": {
              "summary": "Changed: domain {{ $labels.domain }} ({{ $labels.account }})",
              "description": "A setting of the domain {{ $labels.domain }} of {{ $labels.account }} differs from what it was {{ $value | humanizeDuration }} ago.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgesettingchanged"
            }
          },
          {
            "alert": "EdgeSettingChanged",
            "expr": "time() - max without (container, endpoint, instance, job, node, pod, replica, service) (edge_error_response_changed_timestamp_seconds) < 900",
            "labels": {
              "severity": "info",
              "about": "settings",
              "kind": "error_response"
            },
            "annotations": {
              "summary": "Changed: error response {{ $labels.configuration }} ({{ $labels.account }})",
              "description": "A setting of the error response {{ $labels.configuration }} of {{ $labels.account }} differs from what it was {{ $value | humanizeDuration }} ago.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgesettingchanged"
            }
          },
          {
            "alert": "EdgeSettingChanged",
            "expr": "time() - max without (container, endpoint, instance, job, node, pod, replica, service) (edge_firewall_changed_timestamp_seconds) < 900",
            "labels": {
              "severity": "info",
              "about": "settings",
              "kind": "firewall"
            },
            "annotations": {
              "summary": "Changed: firewall {{ $labels.firewall }} ({{ $labels.account }})",
              "description": "A setting of the firewall {{ $labels.firewall }} of {{ $labels.account }} differs from what it was {{ $value | humanizeDuration }} ago.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgesettingchanged"
            }
          },
          {
            "alert": "EdgeSettingChanged",
            "expr": "time() - max without (container, endpoint, instance, job, node, pod, replica, service) (edge_firewall_ruleset_changed_timestamp_seconds) < 900",
            "labels": {
              "severity": "info",
              "about": "settings",
              "kind": "firewall_ruleset"
            },
            "annotations": {
              "summary": "Changed: firewall ruleset {{ $labels.firewall_ruleset }} ({{ $labels.account }})",
              "description": "A setting of the firewall ruleset {{ $labels.firewall_ruleset }} of {{ $labels.account }} differs from what it was {{ $value | humanizeDuration }} ago.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgesettingchanged"
            }
          },
          {
            "alert": "EdgeSettingChanged",
            "expr": "time() - max without (container, endpoint, instance, job, node, pod, replica, service) (edge_function_changed_timestamp_seconds) < 900",
            "labels": {
              "severity": "info",
              "about": "settings",
              "kind": "function"
            },
            "annotations": {
              "summary": "Changed: function {{ $labels.function }} ({{ $labels.account }})",
              "description": "A setting of the function {{ $labels.function }} of {{ $labels.account }} differs from what it was {{ $value | humanizeDuration }} ago.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgesettingchanged"
            }
          },
          {
            "alert": "EdgeSettingChanged",
            "expr": "time() - max without (container, endpoint, instance, job, node, pod, replica, service) (edge_network_list_changed_timestamp_seconds) < 900",
            "labels": {
              "severity": "info",
              "about": "settings",
              "kind": "network_list"
            },
            "annotations": {
              "summary": "Changed: network list {{ $labels.network_list }} ({{ $labels.account }})",
              "description": "A setting of the network list {{ $labels.network_list }} of {{ $labels.account }} differs from what it was {{ $value | humanizeDuration }} ago.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgesettingchanged"
            }
          },
          {
            "alert": "EdgeSettingChanged",
            "expr": "time() - max without (container, endpoint, instance, job, node, pod, replica, service) (edge_waf_ruleset_changed_timestamp_seconds) < 900",
            "labels": {
              "severity": "info",
              "about": "settings",
              "kind": "waf_ruleset"
            },
            "annotations": {
              "summary": "Changed: waf ruleset {{ $labels.waf_ruleset }} ({{ $labels.account }})",
              "description": "A setting of the waf ruleset {{ $labels.waf_ruleset }} of {{ $labels.account }} differs from what it was {{ $value | humanizeDuration }} ago.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgesettingchanged"
            }
          },
          {
            "alert": "EdgeSettingChanged",
            "expr": "time() - max without (container, endpoint, instance, job, node, pod, replica, service) (edge_zone_changed_timestamp_seconds) < 900",
            "labels": {
              "severity": "info",
              "about": "settings",
              "kind": "zone"
            },
            "annotations": {
              "summary": "Changed: zone {{ $labels.zone }} ({{ $labels.account }})",
              "description": "A setting of the zone {{ $labels.zone }} of {{ $labels.account }} differs from what it was {{ $value | humanizeDuration }} ago.",
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
              "description": "The newest data of {{ $labels.metric }} of {{ $labels.configuration }} ({{ $labels.account }}, {{ $labels.product }}) is at least {{ $value | humanizeDuration }} old. Until it is fresh again, an attack on this configuration may go unnoticed.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: open the exporter's status page (`/`): it begins with what is wrong and what to do; if the platform is late: wait, and ask the platform after an hour.",
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
              "description": "The newest traffic data of {{ $labels.account }} is at least {{ $value | humanizeDuration }} old, or there was never any: the platform is late or cannot be reached, or it refuses what is read. Until there is new data, no attack is noticed.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: open the exporter's status page (`/`): it begins with what is wrong and what to do; if the platform is late: wait, and ask the platform after an hour.",
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
              "description": "The platform cannot be reached for {{ $labels.account }}, or refuses every read. The exporter's status page names the cause and what to do: network, address, token, permission, or quota.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: open the exporter's status page (`/`): it begins with the cause and what to do.",
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
              "description": "The platform answers at least now and then, but {{ $value | humanizePercentage }} of the polls of the traffic of {{ $labels.account }} have failed for a long time. What they ask for comes late or not at all.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: open the exporter's status page (`/`), filtered by *Failing*: each poll has its reason.",
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
              "summary": "Nothing is read for {{ $labels.collector }} of {{ $labels.account }}",
              "description": "The platform answers, but no poll of the collector {{ $labels.collector }} of {{ $labels.account }} has succeeded for more than 2 hours, and about {{ $value | humanize }} have failed. What it reads is not shown any more, and alerts that are made of it are silent.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: open the exporter's status page (`/`): it begins with the permission that is missing; grant it, or leave the collector out.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgecollectorfailing"
            }
          },
          {
            "alert": "EdgeNotDiscovered",
            "expr": "max without (container, endpoint, instance, job, node, pod, replica, service) (edge_exporter_product_listed) == 0\nand on (account)\nmax_over_time(edge_up[1h]) == 1",
            "for": "1h",
            "labels": {
              "severity": "ticket",
              "about": "exporter",
              "reason": "product"
            },
            "annotations": {
              "summary": "The configurations of {{ $labels.product }} ({{ $labels.account }}) cannot be listed",
              "description": "The platform answers, but for an hour it has not listed the configurations of {{ $labels.product }} of {{ $labels.account }}. What was not listed before is not read, and alerts that are made of it are silent.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: run `edge-exporter doctor`: it names what cannot be listed, and names that match nothing.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgenotdiscovered"
            }
          },
          {
            "alert": "EdgeNotDiscovered",
            "expr": "max without (container, endpoint, instance, job, node, pod, replica, service) (edge_configurations) < 0.5 * max without (container, endpoint, instance, job, node, pod, replica, service) (max_over_time(edge_configurations[1d]))",
            "for": "1h",
            "labels": {
              "severity": "ticket",
              "about": "exporter",
              "reason": "fewer"
            },
            "annotations": {
              "summary": "Only {{ $value }} of the configurations of {{ $labels.product }} ({{ $labels.account }}) are listed as active",
              "description": "The platform lists {{ $value }} active configurations of {{ $labels.product }} of {{ $labels.account }}: fewer than half of those that it listed within the last day. What is not listed, or not active, is not read, and alerts that are made of it are silent.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: run `edge-exporter doctor`: it names what cannot be listed, and names that match nothing.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgenotdiscovered"
            }
          },
          {
            "alert": "EdgeNotDiscovered",
            "expr": "max without (container, endpoint, instance, job, node, pod, replica, service) (edge_exporter_unmatched_configurations) > 0",
            "for": "1h",
            "labels": {
              "severity": "ticket",
              "about": "exporter",
              "reason": "configuration"
            },
            "annotations": {
              "summary": "{{ $value }} names of {{ $labels.product }} ({{ $labels.account }}) match no configuration",
              "description": "{{ $value }} entries of configurations.include of {{ $labels.product }} of {{ $labels.account }} have matched no configuration for an hour: they are misspelt, or what they name was renamed or deleted. Nothing of it is read.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: run `edge-exporter doctor`: it names what cannot be listed, and names that match nothing.",
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
              "description": "Prometheus has {{ $labels.account }} from {{ $value }} targets:{{ range printf \"edge_account_info{account_id=%q}\" $labels.account_id | query }} {{ .Labels.instance }} ({{ .Labels.job }}) as {{ .Labels.account }};{{ end }} either several exporters poll it, each for the whole quota, or Prometheus scrapes one of them twice. Rules and dashboards count it once; what you have written yourself may not.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: compare the targets that the description names, as `instance (job) as account`.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgeaccountpolledtwice"
            }
          },
          {
            "alert": "EdgeQuotaNearlySpent",
            "expr": "min without (container, endpoint, instance, job, node, pod, replica, service) (min_over_time(edge_api_ratelimit_remaining[15m]))\n/\nmax without (container, endpoint, instance, job, node, pod, replica, service) (max_over_time(edge_api_ratelimit_limit[15m]))\n< 0.1\nunless on (account)\nmax without (container, endpoint, instance, job, node, pod, replica, service) (edge_up) == 0",
            "for": "15m",
            "labels": {
              "severity": "ticket",
              "about": "exporter",
              "reason": "remaining"
            },
            "annotations": {
              "summary": "Only {{ $value | humanizePercentage }} of the quota of {{ $labels.account }} is left",
              "description": "Of the operations that the platform allows {{ $labels.account }} ({{ $labels.scope }}) a minute, only {{ $value | humanizePercentage }} were left at the worst moment. The exporter keeps a reserve, so somebody else spends it.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: open the exporter's status page (`/`): if other clients use the token, give the exporter one of its own; if not, poll less often.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgequotanearlyspent"
            }
          },
          {
            "alert": "EdgeQuotaNearlySpent",
            "expr": "max without (container, endpoint, instance, job, node, pod, replica, service) (min_over_time(edge_exporter_operations_waiting[15m])) > 0\nunless on (account)\nmax by (account) (edge_exporter_interval_stretch_ratio) <= 1.5\nunless on (account)\nmax without (container, endpoint, instance, job, node, pod, replica, service) (edge_up) == 0",
            "for": "15m",
            "labels": {
              "severity": "ticket",
              "about": "exporter",
              "reason": "waiting"
            },
            "annotations": {
              "summary": "At least {{ $value }} operations of {{ $labels.account }} wait all the time",
              "description": "The queue of {{ $labels.account }} ({{ $labels.scope }}) has not been empty for a while: at least {{ $value }} operations wait for the quota, so data comes later than configured.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: open the exporter's status page (`/`): if other clients use the token, give the exporter one of its own; if not, poll less often.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgequotanearlyspent"
            }
          },
          {
            "alert": "EdgeQuotaNearlySpent",
            "expr": "max without (container, endpoint, instance, job, node, pod, replica, service) (edge_exporter_interval_stretch_ratio) > 1.5\nunless on (account)\nmax without (container, endpoint, instance, job, node, pod, replica, service) (edge_up) == 0",
            "for": "15m",
            "labels": {
              "severity": "ticket",
              "about": "exporter",
              "reason": "stretch"
            },
            "annotations": {
              "summary": "{{ $labels.account }} is polled {{ $value | humanize }} times slower than configured",
              "description": "The polls of {{ $labels.collector }} of {{ $labels.account }} are {{ $value | humanize }} times as far apart as configured: the quota does not suffice for them, or the platform answers too slowly.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: open the exporter's status page (`/`): if other clients use the token, give the exporter one of its own; if not, poll less often.",
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
              "description": "What the exporter has counted of {{ $labels.account }} ({{ $labels.product }}) is {{ $value | humanizePercentage }} of what the platform says of the same time. Gauges and their alerts are not affected.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: look at `Lost or late` on the Exporter dashboard: buckets that were skipped or restated explain the difference; where there are none, report it.",
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
              "summary": "Counters of {{ $labels.account }} ({{ $labels.product }}) went on without {{ $value | humanizePercentage }} of the buckets",
              "description": "The platform kept leaving out {{ $value | humanizePercentage }} of the buckets of {{ $labels.account }} ({{ $labels.product }}) that were to be counted in the last hour. The counters have gone on without them and will not take them in any more.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: look at the platform's own console for that time: what is missing there as well, the platform has lost.",
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
              "description": "The platform changed {{ $value | humanizePercentage }} of the buckets of {{ $labels.account }} ({{ $labels.product }}) after the counters had taken them in, within the last hour:{{ range printf \"sum by (metric) (increase(edge_exporter_late_restatement_amount_total{account=%q, product=%q}[1h]))\" $labels.account $labels.product | query }} {{ .Labels.metric }} by {{ .Value | humanize }},{{ end }} up or down. Buckets of the product change up to {{ range printf \"histogram_quantile(0.99, sum by (le) (increase(edge_exporter_settle_seconds_bucket{product=%q}[1h])))\" $labels.product | query }}{{ .Value | humanizeDuration }}{{ end }} after their end. The counters keep what they counted.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: compare the age in the text with `settle_delay`; a time of your own that is shorter: raise it above the age.",
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
              "description": "What was counted of {{ $labels.metric }} of {{ $labels.account }} ({{ $labels.product }}) ends {{ $value | humanizeDuration }} ago. What has come since is missing in sums over time until it is counted; nothing is lost. Gauges and their alerts are not affected.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: look on the status page whether `counted until` moves; if it does, wait.",
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
              "description": "The platform's answers lack {{ $value | humanizePercentage }} of the buckets of {{ $labels.account }} ({{ $labels.product }}) between others. Counters go on without them after 20 minutes: sums over time are too small by as much.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: open the exporter's status page (`/`): it says how much is missing, and of what.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgerowsmissing"
            }
          },
          {
            "alert": "EdgeStateNotKept",
            "expr": "edge_exporter_state_durable == 0",
            "for": "5m",
            "labels": {
              "severity": "ticket",
              "about": "exporter",
              "reason": "unavailable"
            },
            "annotations": {
              "summary": "The counters of {{ $labels.instance }} are withheld",
              "description": "The exporter {{ $labels.instance }} cannot use its state in {{ $labels.directory }}, of all its accounts or of some, and exposes no counters of them until it can; they then go on from where they were. Where that is a directory, gauges and their alerts are not affected; where it is a database, those accounts are not polled meanwhile. The status page and the log say why. First: look at the free space and the mount of the directory that the log names, or whether the database that it names answers.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgestatenotkept"
            }
          },
          {
            "alert": "EdgeStateNotKept",
            "expr": "increase(edge_exporter_state_errors_total[15m]) > 0",
            "for": "15m",
            "labels": {
              "severity": "ticket",
              "about": "exporter",
              "reason": "refused"
            },
            "annotations": {
              "summary": "The counters of {{ $labels.instance }} stand still",
              "description": "The state directory of {{ $labels.instance }}, or its database, refuses what is to be written: about {{ $value | humanize }} times in the last 15 minutes. Counters of the accounts concerned, which the log names, take in nothing until it can be written again; gauges and their alerts are not affected. First: look at the free space and the mount of the directory that the log names, or whether the database that it names answers.",
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
              "description": "The token in use for {{ $labels.account }} {{ if lt $value 0.0 }}expired {{ $value | humanizeDuration | reReplaceAll \"^-\" \"\" }} ago{{ else }}expires in {{ $value | humanizeDuration }}{{ end }}, and the exporter has not been able to renew it.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: read the exporter's log: it has the platform's answer to the renewal; a wrong user or password: correct it; a token from a file: put a new one in its place.",
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
              "description": "The token in use for {{ $labels.account }} {{ if lt $value 0.0 }}expired {{ $value | humanizeDuration | reReplaceAll \"^-\" \"\" }} ago{{ else }}expires in {{ $value | humanizeDuration }}{{ end }}, and the exporter has not been able to renew it.{{ with printf \"edge_up{account=%q}\" $labels.account | query }} Its exporter:{{ range . }} {{ .Labels.instance }}{{ end }}.{{ end }} First: read the exporter's log: it has the platform's answer to the renewal; a wrong user or password: correct it; a token from a file: put a new one in its place.",
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
              "description": "{{ if $labels.instance }}Prometheus cannot scrape the exporter {{ $labels.instance }} (job {{ $labels.job }}){{ else }}Prometheus has no target of the job {{ $labels.job }}{{ end }}. Nothing that it polls is seen: an attack would not be noticed. First: look on its host whether its process runs (`systemctl status`, `docker ps`, `kubectl get pods`): if not, start it; if it does, Prometheus' targets page says why it cannot be scraped.",
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
              "description": "The last attempt to load the configuration of {{ $labels.instance }} failed. It goes on with the one before, which is lost at the next restart. First: run `edge-exporter check-config` on the file: it names every mistake with its line.",
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
              "summary": "The exporter {{ $labels.instance }} leaves out series",
              "description": "About {{ $value | humanize }} series were left out in the last hour, because there are more than limits.series. What is left out is not watched. First: raise `limits.series`, if Prometheus can hold them, and reload.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgeseriesdropped"
            }
          },
          {
            "alert": "EdgePushBehind",
            "expr": "time() - edge_exporter_outbox_oldest_timestamp_seconds > 900 and (increase(edge_exporter_push_samples_sent_total[15m]) + increase(edge_exporter_push_failures_total[15m]) + sum without (reason) (increase(edge_exporter_push_samples_refused_total[15m])) > 0)",
            "for": "5m",
            "labels": {
              "severity": "ticket",
              "about": "exporter"
            },
            "annotations": {
              "summary": "Samples have waited for {{ $labels.receiver }} for {{ $value | humanizeDuration }}",
              "description": "The receiver {{ $labels.receiver }} of {{ $labels.instance }} does not answer, refuses all requests, or is too slow: the oldest sample has waited for {{ $value | humanizeDuration }}. All arrive when it takes them again, unless the outbox reaches its limits before. First: read the log (`samples cannot be sent`): it has the receiver's answer.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgepushbehind"
            }
          },
          {
            "alert": "EdgePushStopped",
            "expr": "time() - edge_exporter_outbox_oldest_timestamp_seconds > 900 unless (increase(edge_exporter_push_samples_sent_total[15m]) + increase(edge_exporter_push_failures_total[15m]) + sum without (reason) (increase(edge_exporter_push_samples_refused_total[15m])) > 0)",
            "for": "5m",
            "labels": {
              "severity": "page",
              "about": "exporter"
            },
            "annotations": {
              "summary": "Nothing is sent to {{ $labels.receiver }} although samples wait",
              "description": "The oldest sample for {{ $labels.receiver }} has waited for {{ $value | humanizeDuration }}, and {{ $labels.instance }} has not asked the receiver for 15 minutes: its outbox cannot be read, or its sending has stopped by a fault of its own. The receiver is not the cause. Samples are kept, unless the outbox reaches its limits. First: read the exporter's log, and look whether the disk of its state is full or gone; if that is well, restart the exporter, unless it has neither `--state.dir` nor `--state.url`: what waits would be lost.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgepushstopped"
            }
          },
          {
            "alert": "EdgePushLosing",
            "expr": "increase(edge_exporter_push_samples_refused_total[1h]) > 0",
            "for": "5m",
            "labels": {
              "severity": "ticket",
              "about": "exporter",
              "loss": "refused"
            },
            "annotations": {
              "summary": "{{ $labels.receiver }} refuses samples for good: {{ $labels.reason }}",
              "description": "About {{ $value | humanize }} samples of the last hour were refused by the receiver {{ $labels.receiver }} ({{ $labels.reason }}) and are not sent again. /metrics has them. First: read the log: the first refusal of each reason has the receiver's own words.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgepushlosing"
            }
          },
          {
            "alert": "EdgePushLosing",
            "expr": "increase(edge_exporter_push_samples_dropped_total[1h]) > 0",
            "for": "5m",
            "labels": {
              "severity": "ticket",
              "about": "exporter",
              "loss": "dropped"
            },
            "annotations": {
              "summary": "The outbox of {{ $labels.receiver }} drops samples: {{ $labels.reason }}",
              "description": "About {{ $value | humanize }} samples for the receiver {{ $labels.receiver }} left the outbox unsent in the last hour ({{ $labels.reason }}): it was away for too long for the outbox (outbox_full, outbox_age), was taken out of push (receiver_removed), or what waited was damaged. First: read the log: the first refusal of each reason has the receiver's own words.",
              "runbook_url": "https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md#edgepushlosing"
            }
          }
        ]
      }
    ]
  }
}
