// SPDX-License-Identifier: MIT
// A compile-time answer to options that a function, link or extension does not have.
#pragma once

namespace chainer::detail {

/// A value of any type: what a field of OtherOptions, or a parameter that may be anything, is given.
struct AnyValue {
  template <class... T>
  AnyValue(T&&...) {}
  template <class T>
  operator T() const;  // so that the result of the call that is refused gives no second error
};

/// Names that options have in this library and in others. What takes options also takes these, only to say which fields
/// its own options have: where the braces fit its own, they are preferred, because the overload for these is a
/// template.
struct OtherOptions {
  AnyValue accfun, accumulate, accumulation_steps, activate, activation, add_extra, affine, allreduce_grad_dtype, alpha,
      amsgrad, antialias, append, approximate, area, args, arguments, aspect, atol, attn_mask, auto_new_epoch, autoload,
      averaged, axes, axis, bar_length, base, batch_axes, batch_first, batch_size, beta, beta1, beta2, bias, bias_init,
      bias_shape, bias_term, bidirectional, binary_check, brightness, bucket_bytes, c_ratio, cache_score, callbacks,
      causal, ceil_mode, check_trigger, class_weight, collate_fn, color, columns, compiler, compression, constant,
      constant_values, contrast, conv_init, converter, copy, count, count_include_pad, cover_all, cp_interval,
      create_graph, data_format, data_range, dataset_timeout, decay, default_name, deform_initial_bias, deform_initialW,
      deform_nobias, degrees, delegate_variable, delimiter, detect_nondifferentiable, device, devices, diff_atol,
      diff_rtol, dilate, dilation, dim, dim_feedforward, disable, div_factor, dmax, double_buffering, download,
      drop_last, dropout, dropout_p, dtype, dynamic_axes, dynamic_batch, eager, enable_double_backprop, enable_gqa,
      encoding, end_values, epoch, epochs, eps, eps_inside_sqrt, epsilon, error_feedback, errors, eta, eval_func,
      eval_hook, every, export_params, external_data_from, features, feedforward, file, file_name, filename, fill_value,
      filter_func, filters, final_div_factor, finalizer, first, flush_seconds, folder, force_test_define_by_run,
      forget_bias_init, format, from, func_expected, function_style, gamma, gaussian_weights, gc_interval, grad_inputs,
      grad_outputs, graph, graph_name, grid, groups, h_ratio, handle_signals, hard, header, height, hidden_size, high,
      histograms, hook, host, hparams, hue, ignore_index, ignore_label, ignore_names, in_channels, in_features, in_size,
      init, init_bh, init_bt, init_Wh, init_Wt, initial_avg_mean, initial_avg_var, initial_beta, initial_bias,
      initial_gamma, initializer, initialV1, initialV2, initialW, inner_init, inplace, input_length, input_names,
      input_size, interleaved, interval, inv, is_causal, k, K1, K2, keep, keepdim, keepdims, kernel, kernel_size, keys,
      ksize, kv_heads, label_dtype, label_expected, label_key, label_length, label_num, label_smoothing, labels,
      lambda_, last, lateral_init, learning_rate, length, line_interval, linear, loc, log_interval, log_name, log_scale,
      logit, loss, loss_func, loss_scale, lossfun, low, lowercase, lr, make_data, margin, marker, mask, max_area,
      max_aspect, max_buf_len, max_epochs, max_lr, max_norm, max_sample_size, max_trigger, mean, memory, metadata,
      metrics, microbatches, min_area, min_aspect, min_delta, minimize_cache_size, mode, models, momentum, monitor,
      most_events, mpi_comm, n, n_batch, n_batch_axes, n_epochs, n_groups, n_iter, n_prefetch, n_processes, n_retain,
      n_retains, n_threads, n_workers, name, names, ndim, negative_slope, nesterov, newline, no_grads, nobias, norm,
      norm_first, normalize, num_features, num_groups, num_layers, num_workers, number, offset_initial_bias,
      offset_initialW, offset_nobias, on_nan, opset, opset_version, optimizer, order, order_sampler, out, out_channels,
      out_features, out_size, output, output_dir, output_names, output_size, outsize, overlap, p, pad, pad_value,
      padding, padding_idx, params, params_grad_grad, path, patience, patients, pct_start, percentile_sigmas, period,
      pin_memory, plot_mean, plot_std, port, pos_weight, positions, postprocess, power, prefetch, prefix, priority,
      prob, probability, process, process_name, profiled, proj_pool, protocol, purge_step, r, random_state, rank_in,
      rank_out, rankdir, rate, ratio, reduce, reduction, refuse_reads, remove_variable, renormalization, repeat,
      report_data, report_grad, report_grads, report_params, requires_grad, retain_grad, retain_graph, return_eps,
      return_indices, return_mask, return_r, rgb_format, rho, rmax, rms, root, rotary, rtol, running_mean, running_var,
      same_padding, sampling_ratio, saturation, save_best_only, scalars, scale, scale_range, scale_tril, seed, sep,
      set_grad, shape, share, shared, shared_mem, show_name, shuffle, sigma, size, size_average, skip_nan_params,
      skip_rows, slope, smooth_value, smoothing, statistics, std_dev, step, steps, strict, stride, strides, summary,
      tag, target, tau, temperature, test, threads, title, tokenizer, total_steps, track_running_stats, train, training,
      training_length, trans_a, trans_b, transa, transb, transform, transpose, trigger, unit, units, update,
      update_interval, update_statistics, upward_init, use_batchwise_mask, use_beta, use_bias, use_gamma, use_mask,
      use_sample_covariance, value, variable_style, verbose, verbosity_level, warmup, warmup_steps, weight,
      weight_decay, weight_decay_rate, weights, width, win_size, withlabel, worker_limit, workers, writable, x_key;
};

}  // namespace chainer::detail

// Behind a declaration whose last parameter is an options struct: the fields' names, then the types of the parameters
// before it. tests/check_option_names compares the names with the struct (--write inserts what is missing).
#define CHAINER_OTHER_OPTIONS(Name, FIELDS, ...)                                     \
  template <int never = 0>                                                           \
  explicit Name(__VA_ARGS__ __VA_OPT__(, ) const ::chainer::detail::OtherOptions&) { \
    static_assert(never != 0, #Name " has other options: " FIELDS);                  \
  }                                                                                  \
  static_assert(true)
// The same for the operator of a function object, for a method, and for a function.
#define CHAINER_OTHER_OPTIONS_CALL(name, FIELDS, ...)                                                               \
  template <int never = 0>                                                                                          \
  ::chainer::detail::AnyValue operator()(__VA_ARGS__ __VA_OPT__(, ) const ::chainer::detail::OtherOptions&) const { \
    static_assert(never != 0, #name " has other options: " FIELDS);                                                 \
    return {};                                                                                                      \
  }                                                                                                                 \
  static_assert(true)
#define CHAINER_OTHER_OPTIONS_METHOD(name, FIELDS, ...)                                                       \
  template <int never = 0>                                                                                    \
  ::chainer::detail::AnyValue name(__VA_ARGS__ __VA_OPT__(, ) const ::chainer::detail::OtherOptions&) const { \
    static_assert(never != 0, #name " has other options: " FIELDS);                                           \
    return {};                                                                                                \
  }                                                                                                           \
  static_assert(true)
#define CHAINER_OTHER_OPTIONS_OF(name, FIELDS, ...)                                                     \
  template <int never = 0>                                                                              \
  ::chainer::detail::AnyValue name(__VA_ARGS__ __VA_OPT__(, ) const ::chainer::detail::OtherOptions&) { \
    static_assert(never != 0, #name " has other options: " FIELDS);                                     \
    return {};                                                                                          \
  }                                                                                                     \
  static_assert(true)
